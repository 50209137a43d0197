// Pointwise convolutions as part of other operators.
#pragma once

#include <vector>

#include "kernel/emitter.h"
#include "ops/conv_constants.h"

namespace sightglass {

// A matrix of real numbers [out channels, in channels] and a bias of whole slices, over every pixel.
Status emit_pointwise(Emitter& emitter, const TensorRef& in, const TensorRef& out, std::vector<float> weights,
                      const std::vector<float>& bias);
// The same with constants of any kind.
Status emit_pointwise(Emitter& emitter, const TensorRef& in, const TensorRef& out, const ConvConstants& constants);

}  // namespace sightglass
