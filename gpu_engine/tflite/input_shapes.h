// Overrides the declared shapes of model inputs.
#pragma once

#include <span>
#include <vector>

#include "sightglass/model.h"
#include "tflite/model_file.h"
#include "tflite/tensor_table.h"

namespace sightglass::tflite {

// Fails with kInvalidArgument, naming the existing inputs, if an input does not exist or is named twice, or if a shape
// is invalid.
Status apply_input_shapes(const schema::SubGraph& subgraph, std::span<const InputShape> shapes, int64_t max_elements,
                          std::vector<FileTensor>& tensors);

// "'x' as 1x512x512x3": for messages.
std::string describe(std::span<const InputShape> shapes);

}  // namespace sightglass::tflite
