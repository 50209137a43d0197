// Fixed point as in graph/fixed_point.h: requantizes the sums of quantized operators to their output.

// x * multiplier * 2^(shift - 31), rounded twice: halves up, then, for the rest of a negative shift, up or away from
// zero.
ivec4 multiply_fixed(ivec4 x, ivec4 multiplier, ivec4 shift, bool ties_up) {
  ivec4 high, low;
  imulExtended(x << max(shift, 0), multiplier, high, low);
  uvec4 carry;
  uvec4 rounded = uaddCarry(uvec4(low), uvec4(1u << 30), carry);
  ivec4 product = ((high + ivec4(carry)) << 1) | ivec4(rounded >> 31);
  ivec4 right = max(-shift, 0);
  ivec4 nudge = (ivec4(1) << right) >> 1;
  // For the magnitude, away from zero is up.
  ivec4 sign_bits = ties_up ? ivec4(0) : product >> 31;
  ivec4 magnitude = (product ^ sign_bits) - sign_bits;
  ivec4 quotient = (magnitude + nudge) >> right;
  return (quotient ^ sign_bits) - sign_bits;
}

// The stored value of a number of steps: clamped to `range` (x, y: lowest and highest), zero in lanes past the last
// channel.
vec4 clamp_quanta(Tensor t, int slice, ivec4 quanta, ivec4 range) {
  return mask_lanes(t, slice, vec4(clamp(quanta, range.x, range.y)));
}
