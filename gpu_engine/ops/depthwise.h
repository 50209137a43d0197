// Shared code of depthwise convolution kernels.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/emitter.h"

namespace sightglass {

// [C/4][taps] vec4, from [1, kh, kw, C].
std::vector<float> pack_depthwise_weights(const std::vector<float>& dense, int32_t taps, int32_t channels);

// A grid in which an invocation computes `rows` outputs of a layer, vertically apart by the dilation, so that tiles
// interleave.
Grid depthwise_rows_grid(const Bhwc& out, int64_t layers, int32_t dilation_h, int32_t rows);

// Possible rows per invocation.
inline constexpr std::array<int32_t, 3> kRowTiles{1, 2, 4};

// The largest of them, up to `most`, that leaves at least `invocations` invocations.
int32_t choose_rows(const Bhwc& out, int64_t layers, int32_t dilation_h, int32_t most, int64_t invocations);

// A register tile, and the read method of the step.
struct RowsVariant {
  int32_t rows = 1;
  Reads reads = Reads::kStorageBlocks;
  std::string name() const;
};

// The default tile, then plausible alternatives.
std::vector<RowsVariant> rows_variants(const Emitter& emitter, int32_t usual_rows);

}  // namespace sightglass
