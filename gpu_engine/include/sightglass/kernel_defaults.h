// Kernel choices for steps that have not been tuned. Plain data, per GPU family (gpu_engine/device_family.h). No GL.
#pragma once

#include <cstdint>
#include <optional>

namespace sightglass {

// Output of one convolution invocation, given enough work for the device: pixels by output slices of four channels,
// each 1, 2 or 4. The sums live in registers: too large a tile spills them.
struct ConvTile {
  int32_t pixels = 2, slices = 2;
  int32_t area() const { return pixels * slices; }
  bool operator==(const ConvTile&) const = default;
};

inline constexpr ConvTile kLargestConvTile{4, 4};

// The defaults, for unknown devices, spill on none of the compilers tested.
struct KernelDefaults {
  // Choices that depend on the storage precision of activations.
  struct Choices {
    ConvTile pointwise, window;    // for 1x1 kernels, for larger kernels
    bool buffer_textures = false;  // read buffers through buffer textures, not as storage blocks
    bool operator==(const Choices&) const = default;
  };
  Choices fp32, fp16;
  ConvTile requantized;      // for convolutions of integers with integer results, which need more registers
  int32_t texture_tile = 2;  // pixels times output slices per invocation of a convolution of the camera texture
  // Maximum rows per invocation: 1, 2 or 4.
  int32_t depthwise_rows = 1, depthwise_pointwise_rows = 1;

  // What Precision::kFp16 means. Without `storage`, the same as kFp32. The others multiply in 16 bits, and add up four
  // products before they become part of a sum in 32 bits: in 1x1 kernels, in larger kernels.
  struct Half {
    bool storage = true, products = true, window_products = true;
    bool operator==(const Half&) const = default;
  } half;

  // Tile of Winograd convolutions (PlanOptions::exact): squares of 2x2 pixels by output slices. Unset: not used.
  std::optional<ConvTile> winograd = {};

  bool operator==(const KernelDefaults&) const = default;
};

}  // namespace sightglass
