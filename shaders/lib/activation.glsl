// Elementwise functions by code.
//   ACTIVATION     the code of the function that a kernel applies to its result
//   OUT_QUANTIZED  the result is quantized
#include "ops/function.h"
#ifndef ACTIVATION
#define ACTIVATION GpuFunction_kNone
#endif
vec4 apply_function(int code, vec4 x, vec4 slope) {
  switch (code) {
    case GpuFunction_kRelu: return keep_nans(x, max(x, 0.0));
    case GpuFunction_kRelu6: return keep_nans(x, clamp(x, 0.0, 6.0));
    case GpuFunction_kReluN1To1: return keep_nans(x, clamp(x, -1.0, 1.0));
    case GpuFunction_kTanh: {
      // Drivers compute tanh through exp, which overflows for large arguments and cancels for small ones.
      vec4 t = tanh(clamp(x, -15.0, 15.0));
      return keep_nans(x, mix(t, x, lessThan(abs(x), vec4(1e-3))));
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

// Rounds to the nearest integer, halves away from zero.
vec4 round_away(vec4 v) { return sign(v) * floor(abs(v) + 0.5); }

// The stored value of a float result: after the function, quantized if the tensor is (halves away from zero, as in
// TensorFlow Lite), and zero in lanes past the last channel. `slope` is that of PReLU.
vec4 finish(Tensor t, int slice, vec4 v, vec4 slope) {
  v = apply_function(ACTIVATION, v, slope);
#ifdef OUT_QUANTIZED
  v = clamp(round_away(v / t.quant.x), t.quant.z, t.quant.w);
#endif
  return mask_lanes(t, slice, v);
}
vec4 finish(Tensor t, int slice, vec4 v) { return finish(t, slice, v, vec4(0.0)); }
ivec4 finish(Tensor t, int slice, ivec4 v) { return mask_lanes(t, slice, v); }
