// numpy broadcasting of up to five dimensions in the four that shaders see (lib/broadcast.glsl).
#pragma once

#include <vector>

#include "kernel/emitter.h"

namespace sightglass {

// Appends how far the batch of each of up to three operands moves with the two dimensions that the batch of `out`
// consists of, and the size of the second of them.
void add_batch_steps(StepParams& params, const std::vector<Shape>& operands, const Shape& out);

}  // namespace sightglass
