// Objects behind and in front of the figure: flat textured cards, farthest first.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "figure/random.h"
#include "figure/vec.h"

namespace sightglass::figure {

enum class Shape : uint8_t { kBox, kEllipse, kLeaf, kGlow };
enum class Texture : uint8_t {
  kPlain,
  kStripes,
  kChecks,
  kNoise,
  kBricks,
  kWood,
  kFolds,
  kDots,
  kBooks,
  kPicture,
  kFoliage,
  kTiles,
  kBlinds
};

// One card in std140 layout. Positions are relative to the frame center, in half frame heights, y up.
struct Card {
  std::array<float, 4> place{};           // center x, y; half sizes
  std::array<float, 4> turn{1, 0, 0, 0};  // cosine and sine; corner radius; width of the soft edge
  Vec3 a;
  float shape = 0;
  Vec3 b;
  float texture = 0;
  std::array<float, 4> detail{};  // texture repeats per half height in x and y; texture seed; light from above, 0 to 1
  bool operator==(const Card&) const = default;
};
static_assert(sizeof(Card) == 80);

struct Backdrop {
  static constexpr size_t kMostCards = 160;  // 12.5 KiB
  std::vector<Card> far;                     // behind the figure, blurred by `blur`
  float blur = 0;                            // of the far cards: width in half frame heights
  // `aspect`: width / height. `pan`: rotation of the camera, in half frame heights.
  static Backdrop of(uint32_t seed, double seconds, float aspect, std::array<float, 2> pan);
};

}  // namespace sightglass::figure
