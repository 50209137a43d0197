// What the kernels of depthwise convolutions share.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/emitter.h"

namespace sightglass {

// [C/4][taps] vec4, from [1, kh, kw, C].
std::vector<float> pack_depthwise_weights(const std::vector<float>& dense, int32_t taps, int32_t channels);

// A grid whose invocations make `rows` outputs of every layer, as far apart below each other as the dilation's steps,
// so that tiles interleave.
Grid depthwise_rows_grid(const Bhwc& out, int64_t layers, int32_t dilation_h, int32_t rows);

// Rows that an invocation may compute.
inline constexpr std::array<int32_t, 3> kRowTiles{1, 2, 4};

// The largest of them, up to `most`, that leaves at least that many invocations.
int32_t choose_rows(const Bhwc& out, int64_t layers, int32_t dilation_h, int32_t most, int64_t invocations);

// A register tile, and how the step reads.
struct RowsVariant {
  int32_t rows = 1;
  Reads reads = Reads::kStorageBlocks;
  std::string name() const;
};

// The usual tile, then those that are worth a try.
std::vector<RowsVariant> rows_variants(const Emitter& emitter, int32_t usual_rows);

}  // namespace sightglass
