// The sums of a convolution whose weights are a tensor: times `unit.x`, what a product of steps stands for, plus the
// bias: bias_t where `bias.x` is 1, else constants from `bias.y` on.
vec4 with_bias(int slice, vec4 sums) {
  return sums * unit.x + (bias.x == 1 ? load_b(bias_t.place.x + slice) : load_bias(bias.y + slice));
}
