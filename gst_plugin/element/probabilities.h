// How the numbers of an output become probabilities, by the ranges that the operators of a model prove. No GL.
#pragma once

#include <cstdint>
#include <optional>

#include "sightglass/model.h"

namespace sightglass {

// Whether the range is that of probabilities, apart from the rounding of quantized values.
bool is_probability(const ValueRange& range);
// Whether an output needs no activation: all its elements are in [0,1].
bool holds_probabilities(const Model& model, size_t output);

// probability = activation(scale * value + offset)
struct ToProbability {
  float scale = 1, offset = 0;
  OutputActivation activation = OutputActivation::kNone;
  bool operator==(const ToProbability&) const = default;
};
// For the ranges in which models output samples of images: [0,1], [0,255], and [-1,1].
std::optional<ToProbability> from_samples(const ValueRange& range);
// For the mask of that range and number of channels:
// - [0,1] and [0,255] are probabilities and 8-bit samples;
// - with one channel, [-1,1] is scaled to [0,1]: the result of TANH, and a limit to these bounds;
// - with one channel, numbers that are never negative cannot be logits: [0,n] is scaled to [0,1];
// - all other numbers are logits.
ToProbability to_probability(const ValueRange& range, int32_t channels);

}  // namespace sightglass
