// What island_remover.h keeps and removes: shaders/segment/island_*.comp include these numbers.
#pragma once

namespace sightglass {

// Sure regions are searched for in cells of so many mask pixels per axis.
inline constexpr int kIslandCell = 4;
// A pixel is part of a sure region if it and its eight neighbors are foreground with a probability above the second
// number, and not if one of them is below the first.
inline constexpr float kCoreFrom = 0.5F, kCoreTo = 0.95F;
// Probabilities above the second number stay wherever they are.
inline constexpr float kSureFrom = 0.8F, kSureTo = 1.0F;
// Influence of a sure region: 1 inside, less the square of the distance as a fraction of the reach. Pixels with this
// influence keep their probability.
inline constexpr float kNearInfluence = 0.75F;
// The reach, as a fraction of the longer side of the mask.
inline constexpr float kIslandReach = 0.125F;

}  // namespace sightglass
