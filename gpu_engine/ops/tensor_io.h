// Steps that import input tensors, from buffers or textures, and export output tensors.
#pragma once

#include "kernel/emitter.h"

namespace sightglass {

// The step that imports an input tensor from a tightly packed buffer.

// Loads model input `input`, 32-bit floats without gaps, into `out`. Returns the tensor that shaders write.
Result<TensorRef> emit_load_buffer(Emitter& emitter, int input, const TensorRef& out);

std::vector<ShaderKey> load_buffer_variants();

// Checks that a buffer input of this type and shape is supported. The error states the reason.
Status check_buffer_input(DataType type, const Shape& shape);

// The step that exports an output tensor as a tightly packed buffer.

// Stores model output `output`, which is in `in`, as 32-bit floats without gaps. Returns the tensor with them.
Result<TensorRef> emit_store_buffer(Emitter& emitter, int output, const TensorRef& in);

std::vector<ShaderKey> store_buffer_variants();

// Steps that load textures into input tensors and store output tensors into textures.

inline constexpr int32_t kMaxClasses = 1024;  // maximum channels of a probability output

// Loads the texture of a model input into `out`, normalized by the spec of the input.
Status emit_load_texture(Emitter& emitter, int input, const TensorRef& out);

// Stores a model output into its texture by the spec of the output.
Status emit_store_texture(Emitter& emitter, int output, const TensorRef& in);

// Checks that a texture input or output of this shape and spec is supported. The error states the reason.
Status check_texture_input(const Shape& shape, const InputSpec& spec, const DeviceLimits& limits);
Status check_texture_output(const Shape& shape, const OutputSpec& spec, const DeviceLimits& limits);

std::vector<ShaderKey> texture_io_variants();

}  // namespace sightglass
