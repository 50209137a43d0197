// Between dense row-major tensors of the host and their storage in the arena.
#pragma once

#include <span>
#include <vector>

#include "kernel/tensors.h"

namespace sightglass {

// How a value of a type is stored; `real` is for floats.
Storage storage_of(DataType type, const Quantization& quantization, Storage real);
// The scale of a quantised tensor; the identity for all others.
StoredScale scale_of(DataType type, const Quantization& quantization);

// Elements of `type`, dense, to `shape.vec4s()` elements of `storage`, unused lanes zero, and back. Quantised numbers
// are stored less their zero point.
std::vector<std::byte> to_storage(const Bhwc& shape, Storage storage, DataType type, const Quantization& quantization,
                                  std::span<const std::byte> dense);
void from_storage(const Bhwc& shape, Storage storage, DataType type, const Quantization& quantization,
                  const std::byte* stored, std::span<std::byte> dense);

}  // namespace sightglass
