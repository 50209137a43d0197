// What is behind the figure and before it: flat cards with textures, from the farthest to the nearest.
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

// One card as std140 lays it out. Places are in half heights of the picture about its middle, y up.
struct Card {
  std::array<float, 4> place{};           // middle x, y; half sizes
  std::array<float, 4> turn{1, 0, 0, 0};  // cosine and sine; corner radius; width of the soft edge
  Vec3 a;
  float shape = 0;
  Vec3 b;
  float texture = 0;
  std::array<float, 4> detail{};  // texture's repeats per half height in x and y; its seed; light from above, 0 to 1
  bool operator==(const Card&) const = default;
};
static_assert(sizeof(Card) == 80);

struct Backdrop {
  static constexpr size_t kMostCards = 160;  // 12.5 KiB
  std::vector<Card> far;                     // behind, out of focus by `blur`
  float blur = 0;                            // of the far cards: width in half heights of the picture
  // `aspect`: width by height. `pan`: how far the camera has turned, in half heights of the picture.
  static Backdrop of(uint32_t seed, double seconds, float aspect, std::array<float, 2> pan);
};

}  // namespace sightglass::figure
