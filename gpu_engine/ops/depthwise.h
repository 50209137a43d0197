// What the kernels of depthwise convolutions share.
#pragma once

#include <vector>

#include "kernel/emitter.h"

namespace sightglass {

// [C/4][taps] vec4, from [1, kh, kw, C].
std::vector<float> pack_depthwise_weights(const std::vector<float>& dense, int32_t taps, int32_t channels);

// A grid whose invocations make `rows` outputs of every layer, as far apart below each other as the dilation's steps,
// so that tiles interleave.
Grid depthwise_rows_grid(const Bhwc& out, int64_t layers, int32_t dilation_h, int32_t rows);

}  // namespace sightglass
