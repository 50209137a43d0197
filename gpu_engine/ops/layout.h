// Changes the memory layout of tensors, for kernels that need another view.
#pragma once

#include "graph/movement.h"
#include "kernel/emitter.h"

namespace sightglass {

// Whether both shapes place the same elements, in tightly packed order, at the same positions in the arena.
bool same_layout(const Bhwc& a, const Bhwc& b);

// Copies `from` to `to`, which has the same number of elements, in tightly packed row-major order.
Status emit_reshape(Emitter& emitter, const TensorRef& from, const TensorRef& to);

// Moves elements of `from` to `to`; both have the same type and scale.
Status emit_movement(Emitter& emitter, const Movement& movement, const TensorRef& from, const TensorRef& to);

// Call before anything is emitted, for a CONCATENATION or PACK on the GPU: inputs that are contiguous in the output are
// computed there in place, and need no step that copies them.
void suggest_parts(Emitter& emitter, const Node& node);

}  // namespace sightglass
