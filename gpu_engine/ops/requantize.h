// Sums of integers to quantized tensors, as a step of its own.
#pragma once

#include <vector>

#include "graph/quantized.h"
#include "kernel/emitter.h"

namespace sightglass {

// Stores the integers of `from`, of the shape of `to`, times `factor`.
Status emit_requantization(Emitter& emitter, const TensorRef& from, const TensorRef& to, const FixedPoint& factor,
                           const QuantumRange& range);
std::vector<ShaderKey> requantization_variants();

}  // namespace sightglass
