// Steps that load textures into input tensors and store output tensors into textures.
#pragma once

#include "kernel/emitter.h"

namespace sightglass {

inline constexpr int32_t kMaxClasses = 1024;  // maximum channels of a probability output

// Loads the texture of a model input into `out`, normalized by the spec of the input.
Status emit_load_texture(Emitter& emitter, int input, const TensorRef& out);

// Stores a model output into its texture by the spec of the output.
Status emit_store_texture(Emitter& emitter, int output, const TensorRef& in);

// Checks that a texture input or output of this shape and spec is supported. The error states the reason.
Status check_texture_input(const Shape& shape, FrameKind frame, const DeviceLimits& limits);
Status check_texture_output(const Shape& shape, const OutputSpec& spec, const DeviceLimits& limits);

std::vector<ShaderKey> texture_io_variants();

}  // namespace sightglass
