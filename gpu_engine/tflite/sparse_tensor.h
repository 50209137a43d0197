// Constants stored without their zeros.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sightglass/status.h"
#include "sightglass/tensor.h"
#include "tflite/model_file.h"

namespace sightglass::tflite {

// All elements of a tensor of `shape`, of `element_size` bytes each, including zeros. `values` are the stored ones in
// traversal order. Fails if the description is inconsistent with itself, the shape, or the number of values.
Result<std::vector<std::byte>> expand_sparse(const schema::SparsityParameters& sparsity, const Shape& shape,
                                             size_t element_size, std::span<const std::byte> values);

}  // namespace sightglass::tflite
