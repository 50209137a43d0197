// Steps of convolution-like operators, and their shaders.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/emitter.h"
#include "ops/conv_constants.h"

namespace sightglass {

// Description of the computation for tuning: `kernel`, the shapes, the geometry of the convolution, and all storages.
std::string tuned_step(const Emitter& emitter, const char* kernel, const TensorRef& in, const TensorRef& out,
                       const std::string& geometry, const ConvConstants& constants);

// "3x5" and "reads=textures": parts of step and variant names.
std::string sides(int32_t h, int32_t w);
const char* name_of(Reads reads);

// Appends the step of a convolution. `params` lacks the last members, which describe the conversion of its sums.
// `half_products`: see StepExtras.
Status add_conv_step(Emitter& emitter, ShaderKey shader, StepParams params, const Grid& grid, const TensorRef& in,
                     const TensorRef& out, const ConvConstants& constants, const StepVariant& variant = {},
                     bool half_products = false);

// All variants of the shaders of such a step. `dynamic`: also for data quantized at run time.
std::vector<ShaderKey> conv_variants(const std::vector<ShaderKey>& keys, bool dynamic);
// The same for computed weights, and for convolutions with a residual, a gate or both.
std::vector<ShaderKey> computed_variants(const std::vector<ShaderKey>& keys);
std::vector<ShaderKey> operand_variants(const std::vector<ShaderKey>& keys);
// The variants of a float step with or without a residual.
std::vector<ShaderKey> residual_variants(const std::vector<ShaderKey>& keys);

}  // namespace sightglass
