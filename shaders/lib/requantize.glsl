// Fixed point as in graph/fixed_point.h: requantizes the sums of quantized operators to their output.

// x * multiplier * 2^(shift - 31), rounded once: halves up.
//
// The quotient by 2^31 has the bits of the result and of the rest of a negative shift. The last bit of that rest, or
// the next lower one without a rest, decides about the rounding.
ivec4 multiply_fixed_once(ivec4 x, ivec4 multiplier, ivec4 shift) {
  ivec4 high, low;
  imulExtended(x << max(shift, 0), multiplier, high, low);
  ivec4 quotient = (high << 1) | ((low >> 31) & 1);
  ivec4 right = max(-shift, 0);
  ivec4 next = mix(quotient >> max(right - 1, 0), low >> 30, equal(right, ivec4(0)));
  return (quotient >> right) + (next & 1);
}

// The same, rounded twice: halves up, then, for the rest of a negative shift, away from zero.
ivec4 multiply_fixed(ivec4 x, ivec4 multiplier, ivec4 shift) {
  ivec4 product = multiply_fixed_once(x, multiplier, max(shift, 0));
  ivec4 right = max(-shift, 0);
  ivec4 nudge = (ivec4(1) << right) >> 1;
  // For the magnitude, away from zero is up.
  ivec4 sign_bits = product >> 31;
  ivec4 magnitude = (product ^ sign_bits) - sign_bits;
  ivec4 quotient = (magnitude + nudge) >> right;
  return (quotient ^ sign_bits) - sign_bits;
}

// The stored value of a number of steps: clamped to `range` (x, y: lowest and highest), zero in lanes past the last
// channel.
vec4 clamp_quanta(Tensor t, int slice, ivec4 quanta, ivec4 range) {
  return mask_lanes(t, slice, vec4(clamp(quanta, range.x, range.y)));
}
