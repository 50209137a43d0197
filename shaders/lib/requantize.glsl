// Fixed point as in graph/fixed_point.h: how the sums of quantised operators become quanta of their output.

// x * multiplier * 2^(shift - 31), rounded twice: halves up, then, for what is left of a negative shift, up or away from
// zero.
ivec4 multiply_fixed(ivec4 x, ivec4 multiplier, ivec4 shift, bool ties_up) {
  ivec4 high, low;
  imulExtended(x << max(shift, 0), multiplier, high, low);
  uvec4 carry;
  uvec4 rounded = uaddCarry(uvec4(low), uvec4(1u << 30), carry);
  ivec4 product = ((high + ivec4(carry)) << 1) | ivec4(rounded >> 31);
  ivec4 right = max(-shift, 0);
  ivec4 nudge = (ivec4(1) << right) >> 1;
  // Away from zero is up for the magnitude.
  ivec4 sign_bits = ties_up ? ivec4(0) : product >> 31;
  ivec4 magnitude = (product ^ sign_bits) - sign_bits;
  ivec4 quotient = (magnitude + nudge) >> right;
  return (quotient ^ sign_bits) - sign_bits;
}

// What is stored for a count of quanta: within `range` (x, y: lowest and highest), zero in lanes that are no channel.
vec4 clamp_quanta(Tensor t, int slice, ivec4 quanta, ivec4 range) {
  return mask_lanes(t, slice, vec4(clamp(quanta, range.x, range.y)));
}
