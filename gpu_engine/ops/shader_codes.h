// Codes of operations and conversions, for shaders too. Those of element-wise functions are in ops/function.h.
#pragma once

#include <cstdint>

namespace sightglass {

// How operands are repeated to the shape of the output.
enum class GpuRepeat : int32_t {
  kNot = 0,
  kAnyhow = 1,
  kPictures = 2,  // one batch; each operand is of the output's height and width or of one pixel
};

// How CAST converts.
enum class GpuCast : int32_t {
  kAny = 0,     // no more than the storage of the output asks for
  kBool = 1,    // to 0 or 1
  kNarrow = 2,  // to an integer of fewer than 32 bits
};

enum class GpuReduction : int32_t {
  kSum = 0,
  kMaximum = 1,
  kMinimum = 2,
  kProduct = 3,
};

// Of quantized tensors.
enum class GpuQuantized : int32_t {
  kRescale = 0,  // one operand, to the quantization of the output
  kAdd = 1,
  kSub = 2,
  kMul = 3,
};

constexpr int32_t gpu_code(GpuRepeat repeat) { return static_cast<int32_t>(repeat); }
constexpr int32_t gpu_code(GpuCast cast) { return static_cast<int32_t>(cast); }
constexpr int32_t gpu_code(GpuReduction reduction) { return static_cast<int32_t>(reduction); }
constexpr int32_t gpu_code(GpuQuantized operation) { return static_cast<int32_t>(operation); }

}  // namespace sightglass
