// Codes of elementwise functions, also for shaders.
#pragma once

#include <cstdint>

#include "graph/op.h"

namespace sightglass {

enum class GpuFunction : int32_t {
  kNone = 0,
  kRelu = 1,
  kRelu6 = 2,
  kReluN1To1 = 3,
  kTanh = 4,
  kLogistic = 5,
  kHardSwish = 6,
  kHardSigmoid = 7,
  kSwish = 8,
  kPrelu = 9,  // the shader reads a slope
  kExp = 10,
};

// Functions that are not activations.
enum class GpuUnary : int32_t {
  kNone = 0,
  kRsqrt = 1,
  kSqrt = 2,
  kSquare = 3,
  kNeg = 4,
  kAbs = 5,
  kLog = 6,
  kFloor = 7,
  kCeil = 8,
  kRound = 9,
  kSign = 10,
  kSin = 11,
  kCos = 12,
  kElu = 13,
  kGelu = 14,
  kGeluByTanh = 15,
  kRelu0To1 = 16,
  kLogicalNot = 17,
  kZero = 18,
};

enum class GpuBinary : int32_t {
  kAdd = 0,
  kSub = 1,
  kMul = 2,
  kMaximum = 3,  // also LOGICAL_OR
  kMinimum = 4,  // also LOGICAL_AND
  kPrelu = 5,
  kDiv = 6,
  kPow = 7,
  kSquaredDifference = 8,
  kFloorDiv = 9,
  kFloorMod = 10,
  kAtan2 = 11,
  kEqual = 16,  // from here, the result is a bool
  kNotEqual = 17,
  kLess = 18,
  kLessEqual = 19,
  kGreater = 20,
  kGreaterEqual = 21,
};

// Of an operator with two operands.
GpuBinary gpu_binary(OpType op);

constexpr int32_t gpu_code(GpuFunction f) { return static_cast<int32_t>(f); }
constexpr int32_t gpu_code(GpuUnary u) { return static_cast<int32_t>(u); }
constexpr int32_t gpu_code(GpuBinary b) { return static_cast<int32_t>(b); }

constexpr int32_t gpu_code(Activation activation) {
  switch (activation) {
    case Activation::kNone:
      return gpu_code(GpuFunction::kNone);
    case Activation::kRelu:
      return gpu_code(GpuFunction::kRelu);
    case Activation::kRelu6:
      return gpu_code(GpuFunction::kRelu6);
    case Activation::kReluN1To1:
      return gpu_code(GpuFunction::kReluN1To1);
    case Activation::kTanh:
      return gpu_code(GpuFunction::kTanh);
    case Activation::kLogistic:
      return gpu_code(GpuFunction::kLogistic);
    case Activation::kHardSwish:
      return gpu_code(GpuFunction::kHardSwish);
    case Activation::kHardSigmoid:
      return gpu_code(GpuFunction::kHardSigmoid);
    case Activation::kSwish:
      return gpu_code(GpuFunction::kSwish);
    case Activation::kPrelu:
      return gpu_code(GpuFunction::kPrelu);
  }
  return 0;
}

// Codes of operations and conversions, also for shaders. Those of elementwise functions are in ops/function.h.

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
  kAddShifted = 7,
  kSubShifted = 8,
  kDiv = 9,
};

constexpr int32_t gpu_code(GpuRepeat repeat) { return static_cast<int32_t>(repeat); }
constexpr int32_t gpu_code(GpuCast cast) { return static_cast<int32_t>(cast); }
constexpr int32_t gpu_code(GpuReduction reduction) { return static_cast<int32_t>(reduction); }
constexpr int32_t gpu_code(GpuQuantized operation) { return static_cast<int32_t>(operation); }

}  // namespace sightglass
