// Surfaces as lofts: elliptic rings that the vertex shader connects with smooth curves (shaders/figure/loft.vert).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "figure/appearance.h"
#include "figure/skeleton.h"
#include "figure/vec.h"

namespace sightglass::figure {

// Material of a surface.
enum class Material : uint8_t {
  kSkin,
  kHead,
  kNose,
  kHair,
  kScalp,
  kShirt,
  kSleeve,
  kCoat,
  kCoatSleeve,
  kTrousers,
  kShoes,
  kPlastic,
  kHeadwear,
  kGlasses,
  kLens,
  kCollar,
  kScarf,
  kNeck,
  kTurtle
};

// One ring in std140 layout. Points of the surface are center + u cos + v sin of an angle; an `exponent` below 1 makes
// the ellipse squarer.
struct Ring {
  Vec3 center;
  float exponent = 1;
  Vec3 u;
  float material = -1;  // of the surface to the next ring; -1: none, the loft ends
  Vec3 v;
  float length = 0;  // along the loft, in meters
  bool operator==(const Ring&) const = default;
};
static_assert(sizeof(Ring) == 48);

// Lists of rings, one per shader program (figure/shaders.h).
class Lofts {
 public:
  static constexpr size_t kMostRings = 320;  // per list: 15 KiB; the guaranteed size of a uniform block is 16 KiB
  enum List : uint8_t {
    kTorso,
    kFace,
    kNeckAndArms,
    kCloth,
    kHair,
    kHands,
    kTrousers,
    kLocks,
    kHard,
    kSheer,
    kLenses,
    kLists
  };

  void begin(List list) {
    list_ = list;
    length_ = 0;
    first_ = true;
  }
  void ring(Vec3 center, Vec3 u, Vec3 v, Material material, float exponent = 1) {
    std::vector<Ring>& rings = rings_[list_];
    if (!first_) length_ += figure::length(center - rings.back().center);
    first_ = false;
    rings.push_back({center, exponent, u, static_cast<float>(material), v, length_});
  }
  void end() {
    if (!rings_[list_].empty()) rings_[list_].back().material = -1;
  }
  const std::vector<Ring>& rings(List list) const { return rings_[list]; }

 private:
  std::array<std::vector<Ring>, kLists> rings_;
  List list_ = kTorso;
  float length_ = 0;
  bool first_ = true;
};

// Flesh, clothes and hair on a skeleton.

void add_body(Lofts& lofts, const Body& body, const Skeleton& bones, const Pose& pose, const Appearance& appearance);
void add_head(Lofts& lofts, const Body& body, const Skeleton& bones, const Appearance& appearance, double seconds);

}  // namespace sightglass::figure
