// Steps at the border: a texture into an input tensor, an output tensor into a texture.
#pragma once

#include "kernel/emitter.h"

namespace sightglass {

inline constexpr int32_t kMaxClasses = 1024;  // that an output of probabilities may choose from

// Loads the texture of a model input into `out`, normalised as the input's spec says.
Status emit_load_texture(Emitter& emitter, int input, const TensorRef& out);

// Stores a model output into its texture as the output's spec says.
Status emit_store_texture(Emitter& emitter, int output, const TensorRef& in);

// Whether the shape and the spec of a texture input or output can be served; the message says why not.
Status check_texture_input(const Shape& shape, FrameKind frame, const DeviceLimits& limits);
Status check_texture_output(const Shape& shape, const OutputSpec& spec, const DeviceLimits& limits);

std::vector<ShaderKey> texture_io_variants();

}  // namespace sightglass
