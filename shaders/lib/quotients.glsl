// Quotients and inverse roots in fixed point, as in graph/fixed_quotients.h. Needs requantize.glsl.

// a * b for values in steps of 2^-31.
ivec4 multiply_q31(ivec4 a, ivec4 b) { return multiply_fixed_once(a, b, ivec4(0)); }
int multiply_q31(int a, int b) { return multiply_q31(ivec4(a), ivec4(b)).x; }

// 2 / (1 + x) of x from 0 to 1 in steps of 2^-31.
ivec4 reciprocal_of_one_and(ivec4 x) {
  ivec4 half_sum = (x >> 1) + (1 << 30);
  ivec4 result = multiply_q31(half_sum, ivec4(-1010580540)) + 1515870810;
  for (int i = 0; i < 3; ++i) {
    result += multiply_q31(result, (1 << 29) - multiply_q31(half_sum, result)) * 4;
  }
  return min(result, ivec4(1073741823)) * 2 + ivec4(greaterThan(result, ivec4(1073741823)));
}

// a / b times the factor of x (multiplier) and y (shift).
ivec4 fixed_quotient(ivec4 a, ivec4 b, ivec2 factor) {
  const int kMost = 2147483647;
  ivec4 at_zero = sign(a) * kMost;
  bvec4 by_zero = equal(b, ivec4(0));
  a *= sign(b);
  b = max(abs(b), ivec4(1));
  ivec4 power = findMSB(b), headroom = 30 - findMSB(a);
  ivec4 reciprocal = reciprocal_of_one_and(ivec4(uvec4(b) << uvec4(31 - power)) & kMost);
  ivec4 product = multiply_q31(multiply_q31(a << headroom, reciprocal), ivec4(factor.x));
  // Shifts beyond 31 bits wrap around.
  ivec4 right = power + headroom - factor.y, shift = right & 31;
  ivec4 wrapped = (product >> shift) + ivec4(greaterThanEqual(product, ivec4(0)));
  ivec4 result = mix(divide_by_power_of_two(product, shift), wrapped, notEqual(right, shift));
  return mix(result, at_zero, by_zero);
}

// Multiplier and shift.
ivec2 inverse_root(int x) {
  if (x <= 1) return ivec2(2147483647, 0);
  int right = 11;
  for (; x >= 1 << 29; x /= 4) ++right;
  int pairs = (30 - findMSB(x)) / 2 - 1;
  x <<= 2 * pairs;
  right -= pairs;
  int half_x = ((x >> 1) + 1) >> 1;
  int root = 1 << 28;
  for (int i = 0; i < 5; ++i) {
    int cube = multiply_q31(multiply_q31(root, root), root) << 6;
    root = (multiply_q31(3 << 27, root) - multiply_q31(half_x, cube)) << 3;
  }
  int multiplier = multiply_q31(root, 1518500250);
  return right < 0 ? ivec2(multiplier << -right, 0) : ivec2(multiplier, -right);
}
