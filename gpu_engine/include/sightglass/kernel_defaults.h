// Kernel choices for steps that have not been tuned. Plain data, per GPU family (gpu_engine/device_family.h). No GL.
#pragma once

#include <cstdint>
#include <optional>

namespace sightglass {

// Output of one convolution invocation, given enough work for the device: pixels by output slices of four channels,
// 1, 2, 4, 8 or 16 by 1, 2 or 4. The sums live in registers: too large a tile spills them.
struct ConvTile {
  int32_t pixels = 2, slices = 2;
  int32_t area() const { return pixels * slices; }
  bool operator==(const ConvTile&) const = default;
};

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

  // Maximum output slices of a convolution of the camera texture. It computes all of them per invocation, besides what
  // samples the frame. One with more reads a tensor, into which the frame is sampled first; with 0, all do.
  int32_t texture_slices = 8;

  // Maximum output slices of a depthwise and a 1x1 convolution in one step, unless depthwise_pointwise_sums applies.
  // One with more is two steps.
  int32_t depthwise_pointwise_slices = 8;

  // Tile of Winograd convolutions (PlanOptions::exact): squares of 2x2 pixels by output slices. Unset: not used.
  std::optional<ConvTile> winograd = {};

  // Invocations per work group of convolutions: 8 or 64. The last group of an image may be mostly empty.
  int32_t conv_group = 64;

  // Tile of convolutions of floats with many multiply-adds. Its program takes the compiler longer. Unset: as of others.
  std::optional<ConvTile> large = {};

  // Maximum columns per invocation of depthwise kernels: 1 or 2.
  int32_t depthwise_columns = 1;

  // Maximum columns per invocation of bilinear resizing: 1 or 4.
  int32_t resize_columns = 1;

  // Whether weights that fit into 8 or 16 bits are stored so. Otherwise they take 32 bits: processors convert a weight
  // every time they read it.
  bool narrow_weights = true;

  // Most sums per invocation of a depthwise and a 1x1 convolution in one step, if the latter has many outputs and the
  // image is small. 0: these are two steps.
  int32_t depthwise_pointwise_sums = 0;

  bool operator==(const KernelDefaults&) const = default;
};

}  // namespace sightglass
