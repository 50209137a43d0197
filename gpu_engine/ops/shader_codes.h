// Codes of operations and conversions, also for shaders. Those of elementwise functions are in ops/function.h.
#pragma once

#include <cstdint>

namespace sightglass {

// Broadcasting of operands to the output shape.
enum class GpuRepeat : int32_t {
  kNot = 0,
  kAnyhow = 1,
  kPictures = 2,  // one batch; operands have the output height and width or one pixel
};

// Conversions of CAST.
enum class GpuCast : int32_t {
  kAny = 0,     // to the storage type of the output, without further changes
  kBool = 1,    // to 0 or 1
  kNarrow = 2,  // to an integer of fewer than 32 bits
};

enum class GpuReduction : int32_t {
  kSum = 0,
  kMaximum = 1,
  kMinimum = 2,
  kProduct = 3,
};

// Operations on quantized tensors.
enum class GpuQuantized : int32_t {
  kRescale = 0,  // requantizes one operand to the output quantization
  kAdd = 1,
  kSub = 2,
  kMul = 3,
  kSquaredDifference = 4,
  kPrelu = 5,  // this and the following are not scaled at the end
  kShift = 6,  // only adds the offset
};

constexpr int32_t gpu_code(GpuRepeat repeat) { return static_cast<int32_t>(repeat); }
constexpr int32_t gpu_code(GpuCast cast) { return static_cast<int32_t>(cast); }
constexpr int32_t gpu_code(GpuReduction reduction) { return static_cast<int32_t>(reduction); }
constexpr int32_t gpu_code(GpuQuantized operation) { return static_cast<int32_t>(operation); }

}  // namespace sightglass
