// Sums of a convolution with a weight tensor: times `unit.x`, the real value of one product of steps, plus the bias:
// bias_t if `bias.x` is 1, otherwise the constants from `bias.y`.
vec4 with_bias(int slice, vec4 sums) {
  return sums * unit.x + (bias.x == 1 ? load_b(bias_t.place.x + slice) : load_bias(bias.y + slice));
}
