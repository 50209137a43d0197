// Other shapes for a model's inputs than the file declares.
#pragma once

#include <span>
#include <vector>

#include "gpu_engine/model.h"
#include "tflite/model_file.h"
#include "tflite/tensor_table.h"

namespace sightglass::tflite {

// Fails with kInvalidArgument, naming the inputs that there are, where an input does not exist, is named twice, or a
// shape is not one that a tensor can have.
Status apply_input_shapes(const schema::SubGraph& subgraph, std::span<const InputShape> shapes, int64_t max_elements,
                          std::vector<FileTensor>& tensors);

// "'x' as 1x512x512x3": for messages.
std::string describe(std::span<const InputShape> shapes);

}  // namespace sightglass::tflite
