// The step that imports an input tensor from a tightly packed buffer.
#pragma once

#include "kernel/emitter.h"

namespace sightglass {

// Loads model input `input`, 32-bit floats without gaps, into `out`. Returns the tensor that shaders write.
Result<TensorRef> emit_load_buffer(Emitter& emitter, int input, const TensorRef& out);

std::vector<ShaderKey> load_buffer_variants();

// Checks that a buffer input of this type and shape is supported. The error states the reason.
Status check_buffer_input(DataType type, const Shape& shape);

}  // namespace sightglass
