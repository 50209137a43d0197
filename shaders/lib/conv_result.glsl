// Converts the sums of a convolution to stored values.
//   REQUANTIZE  sums of integers are requantized in fixed point
//   DYNAMIC     sums of integers become floats: the data were quantized at run time (dynamic_range.comp)
//   neither     sums of floats
#include "lib/activation.glsl"

// `slopes`: position of the PReLU slopes, one vec4 per slice.
vec4 finish(Tensor t, int slice, vec4 v, int slopes) {
#if ACTIVATION == GpuFunction_kPrelu
  return finish(t, slice, v, load_bias(slopes + slice));
#else
  return finish(t, slice, v);
#endif
}

#if defined(REQUANTIZE)
#include "lib/requantize.glsl"

// `rescale`: lowest, highest, halves up, position of the factors. These are three groups of one vec4 per slice: the
// high 16 and the low 15 bits of the multipliers, and the shifts. Whole multipliers would not survive the treatment of
// NaNs and subnormal numbers on every GPU.
vec4 conv_result(Tensor t, int slice, vec4 sums, int slopes, ivec4 rescale) {
  int at = rescale.w + slice, slices = t.place.y;
  ivec4 multiplier = (ivec4(load_bias(at)) << 15) + ivec4(load_bias(at + slices));
  ivec4 quanta = multiply_fixed(ivec4(sums), multiplier, ivec4(load_bias(at + 2 * slices)), rescale.z != 0);
  return clamp_quanta(t, slice, quanta, rescale);
}
#elif defined(DYNAMIC)
// `rescale`: position of the data quantization in the second input, 0, 0, position of the factors: the weight scales,
// then the biases, one vec4 per slice.
vec4 conv_result(Tensor t, int slice, vec4 sums, int slopes, ivec4 rescale) {
  int at = rescale.w + slice;
  vec4 scale = load_b(rescale.x).x * load_bias(at);
  return finish(t, slice, sums * scale + load_bias(at + t.place.y), slopes);
}
#else
vec4 conv_result(Tensor t, int slice, vec4 sums, int slopes, ivec4 rescale) {
  return finish(t, slice, sums, slopes);
}
#endif
