// Tensors as a plan places them, and as kernels see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu_engine/tensor.h"

namespace sightglass {

// How four channels of a pixel lie in memory.
enum class Storage : uint8_t {
  kFloat32,  // vec4
  kFloat16,  // four 16-bit floats in a uvec2
  kInt32,    // ivec4: integers and booleans without a quantisation
  kInt8,     // four bytes of a uint; weights alone
};
constexpr int64_t bytes_of(Storage storage) {
  return storage == Storage::kInt8 ? 4 : storage == Storage::kFloat16 ? 8 : 16;
}

// Sizes and offsets in the arena are counted in blocks of 16 bytes.
inline constexpr int64_t kBlockBytes = 16;

// A region of the arena.
struct PlanTensor {
  std::string name;
  Storage storage = Storage::kFloat32;
  int64_t size = 0;
  int64_t offset = 0;
  int whole = -1;  // the tensor that it is a part of, and lies in; -1 for one with its own region
  int64_t place_in_whole = 0;
  bool output_buffer = false;           // others read it as a buffer: it begins at kOutputAlignment
  bool persistent = false;              // keeps its place for good: constants, states, and what the host writes
  std::vector<std::byte> contents;      // of a constant operand, as it lies in the arena; empty for activations
  int first_level = 0, last_level = 0;  // the levels during which it holds something
};

// The tensor of its own region that `id` lies in.
inline int region_of(const std::vector<PlanTensor>& tensors, int id) {
  while (tensors[static_cast<size_t>(id)].whole >= 0) id = tensors[static_cast<size_t>(id)].whole;
  return id;
}

// What stored numbers stand for: real = scale * stored. Those of a quantised tensor are integers, the file's less its
// zero point, from `lowest` to `highest`.
struct StoredScale {
  float scale = 1;
  bool quantized = false;
  float lowest = 0, highest = 0;
  bool operator==(const StoredScale&) const = default;
};

// A tensor as a kernel sees it: a region, and the shape and scale that it is read with.
struct TensorRef {
  int tensor = -1;  // index into Emission::tensors
  Bhwc shape;
  StoredScale scale;
};

}  // namespace sightglass
