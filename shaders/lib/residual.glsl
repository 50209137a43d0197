// Adds a tensor to the sums of a convolution: of the output shape, of its first channels, or of one pixel.
//   RESIDUAL  1 to add it before the activation, 2 after it; not defined without such a tensor
// A shader calls CONV_RESULT instead of conv_result(); its parameters have the tensor as `residual_t`.
#ifdef RESIDUAL
vec4 load_residual(Tensor t, int batch, int slice, int pixel) {
  int layer = batch * t.place.y + min(slice, t.place.y - 1);
  vec4 v = load_b(t.place.x + layer * t.place.z + (t.place.z == 1 ? 0 : pixel));
  return slice < t.place.y ? v : vec4(0.0);
}

vec4 add_residual(Tensor t, vec4 other, int slice, vec4 sums, Conversion conversion) {
#if RESIDUAL == 2
  return conv_result(t, slice, sums, conversion) + other;
#else
  return conv_result(t, slice, sums + other, conversion);
#endif
}
#define CONV_RESULT(t, batch, slice, pixel, sums, conversion) \
  add_residual(t, load_residual(residual_t, batch, slice, pixel), slice, sums, conversion)
#else
#define CONV_RESULT(t, batch, slice, pixel, sums, conversion) conv_result(t, slice, sums, conversion)
#endif
