// Converts the sums of a convolution to stored values.
//   REQUANTIZE  sums of integers are requantized in fixed point: 1 with any factors; with those of NearestFactor: 2 rounded
//               once, or to results that are not negative; 3 rounded twice
//   DYNAMIC     sums of integers become floats: the data were quantized at run time (dynamic_range.comp)
//   neither     sums of floats
//   TABLE       with REQUANTIZE: the results are those of a table, one in each vec4
// load_conversion() loads what all results of a slice need, for conv_result(). `slopes`: position of the PReLU slopes, one
// vec4 per slice.
#include "lib/activation.glsl"

vec4 load_slope(int slice, int slopes) {
#if ACTIVATION == GpuFunction_kPrelu
  return load_bias(slopes + slice);
#else
  return vec4(0.0);
#endif
}

#ifdef REQUANTIZE
#include "lib/requantize.glsl"

// `rescale`: lowest, highest, twice the position of the table for 0 steps, and 1 more to round once, position of the factors.
vec4 through_table(Tensor t, int slice, vec4 quanta, int table) {
#ifdef TABLE
  ivec4 at = ivec4(quanta) + table;
  return mask_lanes(t, slice, vec4(load_bias(at.x).x, load_bias(at.y).x, load_bias(at.z).x, load_bias(at.w).x));
#else
  return quanta;
#endif
}
#endif

#if defined(REQUANTIZE) && REQUANTIZE > 1
struct Conversion {
  Nearest factor;
  vec2 range;
  int table;
};

// The factors are two groups of one vec4 per slice (pack_nearest_factors()). The range contains 0, which is the result in
// lanes past the last channel: all of their numbers are 0.
Conversion load_conversion(Tensor t, int slice, int slopes, ivec4 rescale) {
  int at = rescale.w + slice;
  Nearest factor = nearest_factor(load_bias(at), ivec4(load_bias(at + t.place.y)), (rescale.z & 1) == 0);
  return Conversion(factor, vec2(rescale.xy), rescale.z >> 1);
}
vec4 conv_result(Tensor t, int slice, vec4 sums, Conversion c) {
#if REQUANTIZE == 3
  vec4 quanta = multiply_nearest(sums, c.factor);
#else
  vec4 quanta = multiply_one_sided(sums, c.factor);
#endif
  return through_table(t, slice, clamp(quanta, c.range.x, c.range.y), c.table);
}
#elif defined(REQUANTIZE)
struct Conversion {
  ivec4 multiplier, shift, rescale;
};

// The factors are three groups of one vec4 per slice: the high 16 and the low 15 bits of the multipliers, and the shifts. Whole multipliers would not survive the treatment of
// NaNs and subnormal numbers on every GPU.
Conversion load_conversion(Tensor t, int slice, int slopes, ivec4 rescale) {
  int at = rescale.w + slice, slices = t.place.y;
  ivec4 multiplier = (ivec4(load_bias(at)) << 15) + ivec4(load_bias(at + slices));
  return Conversion(multiplier, ivec4(load_bias(at + 2 * slices)), rescale);
}
vec4 conv_result(Tensor t, int slice, vec4 sums, Conversion c) {
  ivec4 quanta = (c.rescale.z & 1) != 0 ? multiply_fixed_once(ivec4(sums), c.multiplier, c.shift)
                                  : multiply_fixed(ivec4(sums), c.multiplier, c.shift);
  return through_table(t, slice, clamp_quanta(t, slice, quanta, c.rescale), c.rescale.z >> 1);
}
#elif defined(DYNAMIC)
struct Conversion {
  vec4 scale, bias, slope;
};

// `rescale`: position of the data quantization in the second input, 0, 0, position of the factors: the weight scales,
// then the biases, one vec4 per slice.
Conversion load_conversion(Tensor t, int slice, int slopes, ivec4 rescale) {
  int at = rescale.w + slice;
  return Conversion(load_b(rescale.x).x * load_bias(at), load_bias(at + t.place.y), load_slope(slice, slopes));
}
vec4 conv_result(Tensor t, int slice, vec4 sums, Conversion c) {
  return finish(t, slice, sums * c.scale + c.bias, c.slope);
}
#else
struct Conversion {
  vec4 slope;
};

Conversion load_conversion(Tensor t, int slice, int slopes, ivec4 rescale) {
  return Conversion(load_slope(slice, slopes));
}
vec4 conv_result(Tensor t, int slice, vec4 sums, Conversion c) { return finish(t, slice, sums, c.slope); }
#endif
