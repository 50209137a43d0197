// Single hairs: curves thinner than a pixel. Shaders include this header too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "figure/appearance.h"
#include "figure/lofts.h"
#include "figure/skeleton.h"

namespace sightglass::figure {

inline constexpr int kMostStrands = 256;  // 16 KiB, the guaranteed size of a uniform block
inline constexpr int kHairsPerStrand = 5;
inline constexpr int kStrandSegments = 8;

// A cubic Bézier curve in std140 layout. The shader draws several hairs next to each.
struct Strand {
  struct Point {
    Vec3 place;
    float value = 0;
    bool operator==(const Point&) const = default;
  };
  // Values: radius in meters; 1 if the strand grows on the scalp, which requires hair there; a random value of the
  // strand in [0,1]; unused.
  Point root, first, second, tip;
  bool operator==(const Strand&) const = default;
};
static_assert(sizeof(Strand) == 64);

// Returns strands that stick out of the hair in `lofts`.
std::vector<Strand> strands_of(const Lofts& lofts, uint32_t seed, const Body& body, const Appearance& appearance,
                               double seconds);

}  // namespace sightglass::figure
