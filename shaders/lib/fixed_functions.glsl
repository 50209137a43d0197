// Functions of 16-bit fixed-point numbers. graph/fixed_point.h documents them.

const int FIXED_ONE = 32767;
const int FIXED_POWERS[7] = int[7](25520, 19875, 12055, 4435, 600, 11, 0);

ivec4 fixed_product(ivec4 a, ivec4 b) { return (a * b + 16384) >> 15; }

ivec4 fixed_exp_near_zero(ivec4 x) {
  ivec4 t = x + 4096;
  ivec4 t2 = fixed_product(t, t), t3 = fixed_product(t2, t), t4 = fixed_product(t2, t2);
  ivec4 rest = (fixed_product(((t4 + 2) >> 2) + t3, ivec4(10923)) + t2 + 1) >> 1;
  return min(28918 + fixed_product(ivec4(28918), t + rest), FIXED_ONE);
}

ivec4 fixed_exp_of_negative(ivec4 x, int bits) {
  int quarter = 1 << (13 - bits);
  ivec4 rest = (x & (quarter - 1)) - quarter;
  ivec4 result = fixed_exp_near_zero(rest * (1 << bits));
  for (int i = 0; i < min(7, bits + 2); ++i) {
    bvec4 has_power = notEqual((rest - x) & (quarter << i), ivec4(0));
    result = mix(result, fixed_product(result, ivec4(FIXED_POWERS[i])), has_power);
  }
  if (bits > 5) result = mix(result, ivec4(0), lessThan(x, ivec4(-(1 << (20 - bits)))));
  return mix(result, ivec4(FIXED_ONE), equal(x, ivec4(0)));
}

ivec4 fixed_inverse_of_half(ivec4 x) {
  ivec4 half_sum = (x + FIXED_ONE + 1) >> 1;
  ivec4 inverse = 23130 + fixed_product(half_sum, ivec4(-15420));
  for (int i = 0; i < 3; ++i) inverse += fixed_product(inverse, 8192 - fixed_product(half_sum, inverse)) * 4;
  return inverse;
}

ivec4 fixed_logistic(ivec4 x) {
  ivec4 positive = min(fixed_inverse_of_half(fixed_exp_of_negative(-abs(x), 3)) * 2, FIXED_ONE);
  ivec4 result = mix(FIXED_ONE - positive, positive, greaterThan(x, ivec4(0)));
  return mix(result, ivec4(16384), equal(x, ivec4(0)));
}

ivec4 fixed_tanh(ivec4 x, int bits) {
  ivec4 exp_of_twice = fixed_exp_of_negative(-abs(x), bits + 1);
  return sign(x) * min((fixed_inverse_of_half(exp_of_twice) - 8192) * 4, FIXED_ONE);
}
