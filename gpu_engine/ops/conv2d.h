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

// Cost of a convolution of 32-bit floats from `in` to `out` with a kernel of `taps` pixels, more than one, and with the
// default tile of the device. The unit is the multiply-add of a vec4 by one invocation.
int64_t conv2d_cost(const KernelDefaults& kernels, const Bhwc& in, const Bhwc& out, int32_t taps);

}  // namespace sightglass
