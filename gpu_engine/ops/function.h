// The codes of element-wise functions in the shaders (lib/activation.glsl, elementwise.comp).
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

enum class GpuBinary : int32_t { kAdd = 0, kSub = 1, kMul = 2, kMaximum = 3, kMinimum = 4, kPrelu = 5 };

constexpr int32_t gpu_code(GpuFunction f) { return static_cast<int32_t>(f); }
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

}  // namespace sightglass
