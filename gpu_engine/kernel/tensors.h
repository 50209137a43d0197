// Tensors as seen by the plan and by kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sightglass/shader_source.h"
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
  int64_t first = 0;  // of a part that steps only read: where it begins in the region, in elements of its storage
};

// Converts between tightly packed row-major host tensors and arena storage.

// Storage of a value of a type; `real` is for floats.
Storage storage_of(DataType type, const Quantization& quantization, Storage real);
// The scale of a quantized tensor; the identity for all others.
StoredScale scale_of(DataType type, const Quantization& quantization);

// Converts tightly packed elements of `type` to `shape.vec4s()` elements of `storage`, unused lanes zero, and back.
// Quantized values are stored minus their zero point.
std::vector<std::byte> to_storage(const Bhwc& shape, Storage storage, DataType type, const Quantization& quantization,
                                  std::span<const std::byte> dense);
void from_storage(const Bhwc& shape, Storage storage, DataType type, const Quantization& quantization,
                  const std::byte* stored, std::span<std::byte> dense);

// Shader defines for the storage of tensors and weights.

// Define for dispatches with more work groups along z than the device allows: their number (shaders/lib/grid.glsl).
inline constexpr const char* kFoldedLayers = "FOLDED_LAYERS";

// Define of programs that multiply in 16 bits (lib/tensor.glsl).
inline constexpr const char* kHalfProducts = "HALF_PRODUCTS";

// Adds the define for the `storage` of a binding: "A", "B", "OUT" or "WEIGHTS". The default is 32-bit floats.
void add_storage_define(ShaderKey& key, const char* binding, Storage storage);

// `keys` in every storage of tensors and weights. `bindings` names those that the shader uses, out of "ABOW" (first and
// second input, output, weights). Kernels that only move elements accept integers too.
std::vector<ShaderKey> storage_variants(const std::vector<ShaderKey>& keys, const char* bindings,
                                        bool integers = false);

}  // namespace sightglass
