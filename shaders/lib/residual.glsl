// Adds a tensor to the sums of a convolution: of the output shape, of its first channels, or of one pixel.
//   RESIDUAL    1 to add it before the activation, 2 after it; 3 to add the maximum of 2×2 of its pixels before it; to
//               interpolate it, 4 before and 5 after it; not defined without such a tensor
//   REQUANTIZE  adds the steps of both, after the sums are rounded
// A shader calls CONV_RESULT instead of conv_result(); the last of its parameters are RESIDUAL_PARAMS.
#ifdef RESIDUAL
#if defined(REQUANTIZE)
// `residual_factors`: NearestSum; `residual_range`: x, y: lowest and highest result.
#define RESIDUAL_PARAMS Tensor residual_t; ivec4 residual_factors; ivec4 residual_range;
#elif RESIDUAL >= 4
#include "lib/bilinear.glsl"
// The mapping: scale x, scale y, shift, 0.
#define RESIDUAL_PARAMS Tensor residual_t; vec4 residual_mapping;
#define RESIDUAL_MAPPING residual_mapping
#else
#define RESIDUAL_PARAMS Tensor residual_t;
#endif
#ifndef RESIDUAL_MAPPING
#define RESIDUAL_MAPPING vec4(0.0)
#endif

vec4 load_residual(Tensor t, Tensor out_t, vec4 mapping, int batch, int slice, int pixel) {
  int layer = batch * t.place.y + min(slice, t.place.y - 1);
  int base = t.place.x + layer * t.place.z;
#if RESIDUAL == 3
  // The last row or column may be one of a pair that ends outside.
  ivec2 from = 2 * column_row(pixel, out_t.size.x), last = min(from + 1, t.size.xy - 1);
  int above = base + from.y * t.size.x, below = base + last.y * t.size.x;
  vec4 v = max(max(load_b(above + from.x), load_b(above + last.x)), max(load_b(below + from.x), load_b(below + last.x)));
#elif RESIDUAL >= 4
  ivec2 to = column_row(pixel, out_t.size.x);
  Between x = between(to.x, mapping.x, mapping.z, t.size.x), y = between(to.y, mapping.y, mapping.z, t.size.y);
  int above = base + y.low * t.size.x, below = base + y.high * t.size.x;
  vec4 top = load_b(above + x.low) * (1.0 - x.share) + load_b(above + x.high) * x.share;
  vec4 bottom = load_b(below + x.low) * (1.0 - x.share) + load_b(below + x.high) * x.share;
  vec4 v = top * (1.0 - y.share) + bottom * y.share;
#else
  vec4 v = load_b(base + (t.place.z == 1 ? 0 : pixel));
#endif
  return slice < t.place.y ? v : vec4(0.0);
}

#ifdef REQUANTIZE
vec4 add_residual(Tensor t, vec4 other, int slice, vec4 sums, Conversion conversion, ivec4 factors, ivec4 range) {
  vec4 quanta = conv_result(t, slice, sums, conversion);
  vec4 number = quanta * (float(factors.x) * kNearestStep) + other * (float(factors.y) * kNearestStep);
  ivec4 in_steps = ivec4(quanta) * factors.x + ivec4(other) * factors.y;
  ivec4 nearest = nearest_integer(number, in_steps, ivec4(factors.z), ivec4(factors.w));
  return clamp_quanta(t, slice, nearest, range);
}
#define CONV_RESULT(t, batch, slice, pixel, sums, conversion) \
  add_residual(t, load_residual(residual_t, t, RESIDUAL_MAPPING, batch, slice, pixel), slice, sums, conversion, \
               residual_factors, residual_range)
#else
vec4 add_residual(Tensor t, vec4 other, int slice, vec4 sums, Conversion conversion) {
#if RESIDUAL == 2 || RESIDUAL == 5
  return conv_result(t, slice, sums, conversion) + other;
#else
  return conv_result(t, slice, sums + other, conversion);
#endif
}
#define CONV_RESULT(t, batch, slice, pixel, sums, conversion) \
  add_residual(t, load_residual(residual_t, t, RESIDUAL_MAPPING, batch, slice, pixel), slice, sums, conversion)
#endif
#else
#define RESIDUAL_PARAMS
#define CONV_RESULT(t, batch, slice, pixel, sums, conversion) conv_result(t, slice, sums, conversion)
#endif
