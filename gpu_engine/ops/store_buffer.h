// The step at the border that makes an output tensor a buffer of dense numbers.
#pragma once

#include "kernel/emitter.h"

namespace sightglass {

// Stores model output `output`, which lies in `in`, as 32-bit floats without gaps. Gives the tensor that holds them.
Result<TensorRef> emit_store_buffer(Emitter& emitter, int output, const TensorRef& in);

std::vector<ShaderKey> store_buffer_variants();

}  // namespace sightglass
