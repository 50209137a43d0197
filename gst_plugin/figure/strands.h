// Single hairs, as curves that are thinner than a pixel. Shaders include this header too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "figure/lofts.h"
#include "figure/look.h"
#include "figure/skeleton.h"

namespace sightglass::figure {

inline constexpr int kMostStrands = 256;  // 16 KiB, what a uniform block has at least
inline constexpr int kHairsPerStrand = 5;
inline constexpr int kStrandSegments = 8;

// A cubic Bézier curve as std140 lays it out. The shader draws some hairs beside each.
struct Strand {
  struct Point {
    Vec3 place;
    float value = 0;
    bool operator==(const Point&) const = default;
  };
  // Values: the radius in meters; 1 where the strand grows on the scalp, which needs hair there; a number from 0 to 1
  // that is the strand's own; unused.
  Point root, first, second, tip;
  bool operator==(const Strand&) const = default;
};
static_assert(sizeof(Strand) == 64);

// Strands that stand out from the hair in `lofts`.
std::vector<Strand> strands_of(const Lofts& lofts, uint32_t seed, const Body& body, const Look& look, double seconds);

}  // namespace sightglass::figure
