// Pointwise convolutions within other operators.
#pragma once

#include <vector>

#include "kernel/emitter.h"
#include "ops/conv_constants.h"

namespace sightglass {

// Applies a float matrix [out channels, in channels] and a bias of whole slices to every pixel.
Status emit_pointwise(Emitter& emitter, const TensorRef& in, const TensorRef& out, std::vector<float> weights,
                      const std::vector<float>& bias);
// The same with any kind of constants.
Status emit_pointwise(Emitter& emitter, const TensorRef& in, const TensorRef& out, const ConvConstants& constants);

}  // namespace sightglass
