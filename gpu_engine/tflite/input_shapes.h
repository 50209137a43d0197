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

// The shape of the first input with that size in its two open dimensions after the batch, which are height and width in
// this order; an open batch is 1. Fails with kInvalidArgument if others are open.
Result<InputShape> shape_of_open_input(const schema::SubGraph& subgraph, const ImageSize& size,
                                       std::vector<FileTensor>& tensors);

// "'x' as 1x512x512x3": for messages.
std::string describe(std::span<const InputShape> shapes);

}  // namespace sightglass::tflite
