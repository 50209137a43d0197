// Shader defines for the storage of tensors and weights.
#pragma once

#include <vector>

#include "gpu_engine/shader_source.h"
#include "kernel/tensors.h"

namespace sightglass {

// Adds the define for `storage` of a binding: "A", "B", "OUT" or "WEIGHTS". Without one, a shader reads 32-bit floats.
void add_storage_define(ShaderKey& key, const char* binding, Storage storage);

// `keys` in every storage that tensors and weights may have: `bindings` names those that the shader uses, out of "ABOW"
// (first and second input, output, weights). Kernels that move elements without looking at them take integers as well.
std::vector<ShaderKey> storage_variants(const std::vector<ShaderKey>& keys, const char* bindings,
                                        bool integers = false);

}  // namespace sightglass
