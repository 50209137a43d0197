// Shader defines for the storage of tensors and weights.
#pragma once

#include <vector>

#include "kernel/tensors.h"
#include "sightglass/shader_source.h"

namespace sightglass {

// Define for dispatches with more work groups along z than the device allows: their number (shaders/lib/grid.glsl).
inline constexpr const char* kFoldedLayers = "FOLDED_LAYERS";

// Define of programs that multiply in 16 bits (lib/tensor.glsl).
inline constexpr const char* kHalfProducts = "HALF_PRODUCTS";

// Adds the define for the `storage` of a binding: "A", "B", "OUT" or "WEIGHTS". The default is 32-bit floats.
void add_storage_define(ShaderKey& key, const char* binding, Storage storage);

// `keys` in every storage of tensors and weights. `bindings` names those that the shader uses, out of "ABOW" (first and
// second input, output, weights). Kernels that only move elements accept integers too.
std::vector<ShaderKey> storage_variants(const std::vector<ShaderKey>& keys, const char* bindings,
                                        bool integers = false);

}  // namespace sightglass
