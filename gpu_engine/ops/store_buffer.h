// The step that exports an output tensor as a tightly packed buffer.
#pragma once

#include "kernel/emitter.h"

namespace sightglass {

// Stores model output `output`, which is in `in`, as 32-bit floats without gaps. Returns the tensor with them.
Result<TensorRef> emit_store_buffer(Emitter& emitter, int output, const TensorRef& in);

std::vector<ShaderKey> store_buffer_variants();

}  // namespace sightglass
