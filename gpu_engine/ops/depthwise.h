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

// Outputs of one invocation.
struct DepthwiseTile {
  int32_t rows = 1, columns = 1;
  bool operator==(const DepthwiseTile&) const = default;
};

// Possible numbers of them.
inline constexpr std::array<int32_t, 3> kRowTiles{1, 2, 4};
inline constexpr std::array<int32_t, 2> kColumnTiles{1, 2};

// A grid in which an invocation computes a tile of a layer. Its outputs are apart by the dilation, so that tiles
// interleave.
Grid depthwise_rows_grid(const Bhwc& out, int64_t layers, const DepthwiseConv2dAttr& attr, const DepthwiseTile& tile);

// The largest tile, up to `most`, that leaves at least `invocations` invocations.
DepthwiseTile choose_tile(const Bhwc& out, int64_t layers, const DepthwiseConv2dAttr& attr, const DepthwiseTile& most,
                          int64_t invocations);

// A register tile, and the read method of the step.
struct RowsVariant {
  DepthwiseTile tile;
  Reads reads = Reads::kStorageBlocks;
  std::string name() const;
};

// The default tile, then plausible alternatives, with up to `most_columns`.
std::vector<RowsVariant> rows_variants(const Emitter& emitter, const DepthwiseTile& usual, int32_t most_columns);

}  // namespace sightglass
