// Constants shared by kernels and their dispatch code. Shaders get them through shaders/lib/tensor.glsl. No GL.
#pragma once

#include <cstdint>

namespace sightglass {

// Invocations per work group, unless a kernel overrides it; and for kernels that search a list with a single group.
inline constexpr int32_t kKernelInvocations = 64, kSearchInvocations = 128;

// Slices that squeeze_excite.comp keeps of each of its three vectors.
inline constexpr int32_t kMostSqueezedSlices = 256;

// Slices of a pixel that an invocation of move.comp moves, and pixels that one of dynamic_quantize.comp quantizes.
inline constexpr int32_t kMovedSlices = 4, kQuantizedPixels = 4;

// Storage blocks: the arena, as two inputs and the output, and the constants of the plan.
inline constexpr uint32_t kInputABlock = 0, kInputBBlock = 1, kOutputBlock = 2, kConstantsBlock = 3, kStorageBlocks = 4;
inline constexpr uint32_t kParamsBlock = 0;  // uniform block: parameters of the step
inline constexpr uint32_t kOutputImage = 0;  // image unit: a model output planned as a texture

// Texture units of the arena and the constants, if read as buffer textures. Unit 0 belongs to a model input.
inline constexpr uint32_t kArenaFloat32Unit = 1, kArenaFloat16Unit = 2, kArenaInt32Unit = 3;
inline constexpr uint32_t kWeightsFloat32Unit = 4, kWeightsFloat16Unit = 5, kWeightsInt8Unit = 6;

}  // namespace sightglass
