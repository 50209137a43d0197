// The tensor that is added to the sums of a convolution: of the output shape, of its first channels, or of one pixel.
vec4 load_residual(Tensor t, int batch, int slice, int pixel) {
  int layer = batch * t.place.y + min(slice, t.place.y - 1);
  vec4 v = load_b(t.place.x + layer * t.place.z + (t.place.z == 1 ? 0 : pixel));
  return slice < t.place.y ? v : vec4(0.0);
}
