// Element-wise functions by code. The codes are those of GpuFunction in ops/function.h.
vec4 apply_function(int code, vec4 x, vec4 slope) {
  switch (code) {
    case 1: return max(x, 0.0);
    case 2: return clamp(x, 0.0, 6.0);
    case 3: return clamp(x, -1.0, 1.0);
    case 4: {
      // Drivers compute it through exp, which overflows for large arguments and cancels for small ones.
      vec4 t = tanh(clamp(x, -15.0, 15.0));
      return mix(t, x, lessThan(abs(x), vec4(1e-3)));
    }
    case 5: return 1.0 / (1.0 + exp(-x));
    case 6: return x * clamp(x + 3.0, 0.0, 6.0) * (1.0 / 6.0);
    case 7: return clamp(x + 3.0, 0.0, 6.0) * (1.0 / 6.0);
    case 8: return x / (1.0 + exp(-x));
    case 9: return mix(x, slope * x, lessThan(x, vec4(0.0)));
    case 10: return exp(x);
  }
  return x;
}

// To the nearest integer, halves away from zero.
vec4 round_away(vec4 v) { return sign(v) * floor(abs(v) + 0.5); }

// What is stored for a real number: the function's result, rounded to the tensor's quanta if it has any (halves away from
// zero, as TensorFlow Lite rounds), zero in lanes that are no channel.
vec4 finish(Tensor t, int slice, int code, vec4 v, vec4 slope) {
  v = apply_function(code, v, slope);
  if (t.quant.y != 0.0) {
    v = clamp(round_away(v / t.quant.x), t.quant.z, t.quant.w);
  }
  return mask_lanes(t, slice, v);
}
ivec4 finish(Tensor t, int slice, int code, ivec4 v, vec4 slope) { return mask_lanes(t, slice, v); }
