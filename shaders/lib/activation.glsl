// Element-wise functions by code.
//   ACTIVATION     the code of the function that a kernel applies to its result
//   OUT_QUANTIZED  the result is rounded to quanta
#include "ops/function.h"
#ifndef ACTIVATION
#define ACTIVATION GpuFunction_kNone
#endif
vec4 apply_function(int code, vec4 x, vec4 slope) {
  switch (code) {
    case GpuFunction_kRelu: return max(x, 0.0);
    case GpuFunction_kRelu6: return clamp(x, 0.0, 6.0);
    case GpuFunction_kReluN1To1: return clamp(x, -1.0, 1.0);
    case GpuFunction_kTanh: {
      // Drivers compute it through exp, which overflows for large arguments and cancels for small ones.
      vec4 t = tanh(clamp(x, -15.0, 15.0));
      return mix(t, x, lessThan(abs(x), vec4(1e-3)));
    }
    case GpuFunction_kLogistic: return 1.0 / (1.0 + exp(-x));
    case GpuFunction_kHardSwish: return x * clamp(x + 3.0, 0.0, 6.0) * (1.0 / 6.0);
    case GpuFunction_kHardSigmoid: return clamp(x + 3.0, 0.0, 6.0) * (1.0 / 6.0);
    case GpuFunction_kSwish: return x / (1.0 + exp(-x));
    case GpuFunction_kPrelu: return mix(x, slope * x, lessThan(x, vec4(0.0)));
    case GpuFunction_kExp: return exp(x);
  }
  return x;
}

// To the nearest integer, halves away from zero.
vec4 round_away(vec4 v) { return sign(v) * floor(abs(v) + 0.5); }

// What is stored for a real number: the function's result, rounded to the tensor's quanta if it has any (halves away from
// zero, as TensorFlow Lite rounds), zero in lanes that are no channel. `slope` is PReLU's.
vec4 finish(Tensor t, int slice, vec4 v, vec4 slope) {
  v = apply_function(ACTIVATION, v, slope);
#ifdef OUT_QUANTIZED
  v = clamp(round_away(v / t.quant.x), t.quant.z, t.quant.w);
#endif
  return mask_lanes(t, slice, v);
}
vec4 finish(Tensor t, int slice, vec4 v) { return finish(t, slice, v, vec4(0.0)); }
ivec4 finish(Tensor t, int slice, ivec4 v) { return mask_lanes(t, slice, v); }
