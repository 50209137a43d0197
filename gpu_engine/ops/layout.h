// Changing how a tensor lies in memory, for kernels that need another view of it.
#pragma once

#include "graph/movement.h"
#include "kernel/emitter.h"

namespace sightglass {

// Whether the same elements in the same dense order lie in the same places of the arena.
bool same_layout(const Bhwc& a, const Bhwc& b);

// Copies `from` to `to`, which has as many elements, in dense row-major order.
Status emit_reshape(Emitter& emitter, const TensorRef& from, const TensorRef& to);

// Moves elements of `from` to `to`; both are of one type and scale.
Status emit_movement(Emitter& emitter, const Movement& movement, const TensorRef& from, const TensorRef& to);

// Of a CONCATENATION or PACK that will run on the GPU, before anything is emitted: where what goes into it is one run
// of memory of what comes out, it is to be computed there, and needs no step that moves it.
void suggest_parts(Emitter& emitter, const Node& node);

}  // namespace sightglass
