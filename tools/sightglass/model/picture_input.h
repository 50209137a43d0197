// Model inputs that are not given as numbers: images, and the pseudorandom inputs of the reference outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sightglass/input_transform.h"
#include "sightglass/status.h"
#include "sightglass/tensor.h"

namespace sightglass {

// The pseudorandom model inputs of the reference outputs: a counter-based 64-bit stream, the same on every machine. If
// it changes, all stored reference outputs become invalid.
// One stream serves all random inputs of a model in order, elements in row-major order.
//   float32: [0, 1) in steps of 2^-24     uint8, int8: the whole range
//   int32, int64: 0 to 7                  bool: 0 or 1
class RandomStream {
 public:
  explicit RandomStream(uint64_t seed) : state_(seed) {}

  uint64_t next();
  // Fills `bytes` with as many elements of `type` as fit. Returns false without consuming the stream for types that it
  // does not define (float16, int16).
  bool fill(DataType type, std::span<std::byte> bytes);

 private:
  uint64_t state_;
};

// Reads images as model inputs, on the CPU, for the `sightglass` command.
// Rows are from top to bottom, without padding. Gray images become RGB with three equal channels.
struct Picture {
  int32_t width = 0, height = 0;
  int32_t channels = 3;  // 3: RGB, 4: RGBA with straight alpha
  std::vector<uint8_t> pixels;
};

// Reads a PNG, JPEG, GIF, or PNM of at most `largest_side` pixels per axis: the limit
// for textures of the device. Returns the stored pixel values exactly, without color management. Errors name the file.
Result<Picture> load_picture(const std::string& path, int32_t largest_side);

// Maps an 8-bit sample to a float32 tensor value: sample * scale + offset, in float32.
struct Normalization {
  float scale = 1.0f / 255.0f, offset = 0.0f;
  // 0 becomes low, 255 becomes high.
  static Normalization from_range(double low, double high);
};

// Fills a tensor 1×H×W×C (or H×W×C) of 1, 3, or 4 channels, of float32, uint8 (unchanged samples), or int8 (samples
// minus 128). An image of the tensor size is used unchanged. Of any other, a pixel of the tensor is the mean of
// the pixels that it covers with that `fit`, as in elements, with black letterbox bars. A single channel is the
// luma. A fourth channel is the alpha, or 0 without alpha.
Result<HostTensor> picture_to_tensor(const Picture& picture, DataType type, const Shape& shape,
                                     const Normalization& normalization = {}, Fit fit = Fit::kStretch);

}  // namespace sightglass
