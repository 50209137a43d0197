// numpy broadcasting of up to five dimensions, folded into the four of shaders (lib/broadcast.glsl).
#pragma once

#include <vector>

#include "kernel/emitter.h"

namespace sightglass {

// Appends the batch steps of up to three operands along the two dimensions that form the batch of `out`, and the size
// of the second of them.
void add_batch_steps(StepParams& params, const std::vector<Shape>& operands, const Shape& out);

}  // namespace sightglass
