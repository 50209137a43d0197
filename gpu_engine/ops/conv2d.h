// Direct convolutions, for other operators.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/emitter.h"
#include "ops/conv_constants.h"

namespace sightglass {

// Applies a float matrix [out channels, in channels] and a bias of whole slices to every pixel.
Status emit_pointwise(Emitter& emitter, const TensorRef& in, const TensorRef& out, std::vector<float> weights,
                      const std::vector<float>& bias);
// The same with any kind of constants.
Status emit_pointwise(Emitter& emitter, const TensorRef& in, const TensorRef& out, const ConvConstants& constants);

// Cost of such a convolution for one slice of the data and one pixel of the kernel, with the best tile up to `most` and
// `group` invocations per work group. The unit is the multiply-add of a vec4 by one invocation.
int64_t conv2d_cost(const ConvTile& most, int32_t group, int64_t pixels, int32_t slices);

}  // namespace sightglass
