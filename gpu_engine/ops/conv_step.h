// Steps of convolution-like operators, and their shaders.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/emitter.h"
#include "ops/conv_constants.h"

namespace sightglass {

// What is computed, for the tuning: `kernel`, the shapes, the convolution's geometry, and how all is stored.
std::string tuned_step(const Emitter& emitter, const char* kernel, const TensorRef& in, const TensorRef& out,
                       const std::string& geometry, const ConvConstants& constants);

// "3x5" and "reads=textures", as steps and variants are named.
std::string sides(int32_t h, int32_t w);
const char* name_of(Reads reads);

// Appends the step of a convolution, whose parameters lack the last members, which say what becomes of its sums.
Status add_conv_step(Emitter& emitter, ShaderKey shader, StepParams params, const Grid& grid, const TensorRef& in,
                     const TensorRef& out, const ConvConstants& constants, const StepVariant& variant = {});

// Every variant of such a step's shaders. `dynamic`: for data that are quantised while the GPU runs, too.
std::vector<ShaderKey> conv_variants(const std::vector<ShaderKey>& keys, bool dynamic);
// The same for weights that are computed, and for convolutions with a residual, a gate or both.
std::vector<ShaderKey> computed_variants(const std::vector<ShaderKey>& keys);
std::vector<ShaderKey> operand_variants(const std::vector<ShaderKey>& keys);
// Those of a step of real numbers with or without a residual.
std::vector<ShaderKey> residual_variants(const std::vector<ShaderKey>& keys);

}  // namespace sightglass
