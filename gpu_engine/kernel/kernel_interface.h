// What kernels and the code that dispatches them agree on. Kernels get these numbers through shaders/lib/tensor.glsl. No GL.
#pragma once

#include <cstdint>

namespace sightglass {

// Of a work group, unless a kernel says otherwise; and of those that search a list with a single group.
inline constexpr int32_t kKernelInvocations = 64, kSearchInvocations = 128;

// Storage blocks: the arena, as two inputs and the output, and the plan's constants.
inline constexpr uint32_t kInputABlock = 0, kInputBBlock = 1, kOutputBlock = 2, kConstantsBlock = 3, kStorageBlocks = 4;
inline constexpr uint32_t kParamsBlock = 0;  // uniform block: parameters of the step
inline constexpr uint32_t kOutputImage = 0;  // image unit: a model output that is a texture

// Texture units of the arena and the constants, where they are read as buffer textures. Unit 0 is that of a model input.
inline constexpr uint32_t kArenaFloat32Unit = 1, kArenaFloat16Unit = 2, kArenaInt32Unit = 3;
inline constexpr uint32_t kWeightsFloat32Unit = 4, kWeightsFloat16Unit = 5, kWeightsInt8Unit = 6;

}  // namespace sightglass
