// Tensors as seen by the plan and by kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/tensor.h"

namespace sightglass {

// Memory format of four channels of a pixel.
enum class Storage : uint8_t {
  kFloat32,  // vec4
  kFloat16,  // four 16-bit floats in a uvec2
  kInt32,    // ivec4: unquantized integers and booleans
  kInt8,     // four bytes of a uint; only for weights
};
constexpr int64_t bytes_of(Storage storage) {
  return storage == Storage::kInt8 ? 4 : storage == Storage::kFloat16 ? 8 : 16;
}

// Unit of sizes and offsets in the arena: blocks of 16 bytes.
inline constexpr int64_t kBlockBytes = 16;

// A region of the arena.
struct PlanTensor {
  std::string name;
  Storage storage = Storage::kFloat32;
  int64_t size = 0;
  int64_t offset = 0;
  int whole = -1;  // the tensor it is a part of; -1 if it has its own region
  int64_t place_in_whole = 0;
  bool exported = false;                // an input or output as a buffer: starts at kOutputAlignment
  bool persistent = false;              // has a permanent place: constants, states, and host-written inputs
  std::vector<std::byte> contents;      // of a constant operand, in arena format; empty for activations
  int first_level = 0, last_level = 0;  // levels during which it is live
};

// The tensor whose region contains `id`.
inline int region_of(const std::vector<PlanTensor>& tensors, int id) {
  while (tensors[static_cast<size_t>(id)].whole >= 0) id = tensors[static_cast<size_t>(id)].whole;
  return id;
}

// Meaning of stored values: real = scale * stored. Quantized tensors store integers, the file's value minus its zero
// point, from `lowest` to `highest`.
struct StoredScale {
  float scale = 1;
  bool quantized = false;
  float lowest = 0, highest = 0;
  bool operator==(const StoredScale&) const = default;
};

// A tensor as seen by a kernel: a region, with shape and scale.
struct TensorRef {
  int tensor = -1;  // index into Emission::tensors
  Bhwc shape;
  StoredScale scale;
};

}  // namespace sightglass
