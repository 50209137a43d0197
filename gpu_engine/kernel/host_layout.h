// Converts between tightly packed row-major host tensors and arena storage.
#pragma once

#include <span>
#include <vector>

#include "kernel/tensors.h"

namespace sightglass {

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

}  // namespace sightglass
