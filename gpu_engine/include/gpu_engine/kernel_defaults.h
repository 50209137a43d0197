// Which of several equivalent kernels run as long as nothing has been measured. Plain data; each family of GPUs has its
// own (gpu_engine/device_family.h). No GL.
#pragma once

#include <cstdint>

namespace sightglass {

// What one invocation of a convolution computes, where there is enough work for the device: pixels by output slices of
// four channels, each 1, 2 or 4. Its sums live in registers: too large a tile spills them.
struct ConvTile {
  int32_t pixels = 2, slices = 2;
  int32_t area() const { return pixels * slices; }
  bool operator==(const ConvTile&) const = default;
};

inline constexpr ConvTile kLargestConvTile{4, 4};

// The defaults spill on no compiler that was asked: they suit devices of which nothing is known.
struct KernelDefaults {
  // What depends on the bits that activations are stored in.
  struct Choices {
    ConvTile pointwise, window;    // of 1x1 kernels, and of larger ones
    bool buffer_textures = false;  // buffers are read through buffer textures instead of as storage blocks
    bool operator==(const Choices&) const = default;
  };
  Choices fp32, fp16;
  int32_t depthwise_pointwise_rows = 1;  // the most that an invocation computes: 1, 2 or 4

  bool operator==(const KernelDefaults&) const = default;
};

}  // namespace sightglass
