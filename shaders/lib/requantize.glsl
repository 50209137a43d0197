// Fixed point as in graph/fixed_point.h: requantizes the sums of quantized operators to their output.

const float kNearestStep = 1.0 / 1073741824.0;  // of NearestSum: 2^-30

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

// x / 2^right, rounded: halves away from zero. For the magnitude, that is up.
ivec4 divide_by_power_of_two(ivec4 x, ivec4 right) {
  ivec4 sign_bits = x >> 31;
  uvec4 magnitude = uvec4((x ^ sign_bits) - sign_bits);
  ivec4 quotient = ivec4((magnitude + ((uvec4(1) << right) >> 1)) >> right);
  return (quotient ^ sign_bits) - sign_bits;
}

// The same product, rounded twice: halves up, then, for the rest of a negative shift, away from zero.
ivec4 multiply_fixed(ivec4 x, ivec4 multiplier, ivec4 shift) {
  return divide_by_power_of_two(multiply_fixed_once(x, multiplier, max(shift, 0)), max(-shift, 0));
}

// A factor as NearestFactor tells: what is the same for all numbers. `above`, `below`: what is added to products above and
// below a tie, of numbers that are not negative.
struct Nearest {
  vec4 scale, above, below, moved;
  ivec4 multiplier, moved_steps;
};

Nearest nearest_factor(vec4 scale, ivec4 bits, bool twice) {
  ivec4 shift = bits >> 10, float_bits = floatBitsToInt(scale), exponent = float_bits & 0x7F800000;
  ivec4 multiplier = (((float_bits & 0x7FFFFF) | 0x800000) << 7) + (bits & 1023) - 512;
  ivec4 left = max(shift, 0), right = max(-shift, 0);
  bvec4 moves = bvec4(ivec4(twice) & ivec4(lessThan(scale, vec4(0.5))));
  vec4 moved = mix(vec4(0.0), intBitsToFloat(exponent), moves);
  vec4 tie = 0.5 + moved, error = 0.9375 * intBitsToFloat(exponent - (shift << 23));
  ivec4 moved_steps = mix(ivec4(0), ivec4(1 << 30) << min(left, 1) >> right, moves);
  return Nearest(scale, tie + error, tie - error, moved, multiplier << left >> right, moved_steps);
}

// Integers times a factor. For a negative number whose ties are moved, the result is also negative, or 0.
vec4 multiply_one_sided(vec4 x, Nearest factor) {
  bvec4 below = lessThan(ivec4(x) * factor.multiplier + factor.moved_steps, ivec4(0));
  return floor(x * factor.scale + mix(factor.above, factor.below, below));
}

// The same with the result of every number.
vec4 multiply_nearest(vec4 x, Nearest factor) {
  bvec4 negative = lessThan(x, vec4(0.0));
  ivec4 moved_steps = mix(factor.moved_steps, -factor.moved_steps, negative);
  bvec4 below = lessThan(ivec4(x) * factor.multiplier + moved_steps, ivec4(0));
  vec4 offset = mix(factor.above, factor.below, below) - mix(vec4(0.0), 2.0 * factor.moved, negative);
  return floor(x * factor.scale + offset);
}

// The integer below or above a real number, as NearestSum tells: of a number as a float, and in steps of 2^-30 modulo
// 2^32. The float may be off where it is almost an integer: the number is then as far from a tie as if it were exact, on
// the other side.
ivec4 nearest_integer(vec4 number, ivec4 steps, ivec4 half_step, ivec4 moved) {
  ivec4 below = ivec4(floor(number));
  ivec4 rest = steps - (below << 30) - half_step - (below >> 31 & moved);
  return below + ivec4(greaterThanEqual(rest, ivec4(0)));
}

// Integers of 64 bits times a factor of 15 bits and 2^-right, rounded once: halves up. The low 32 bits of the result.
// `right` is 8 to 46.
ivec4 multiply_wide(ivec4 high, uvec4 low, int multiplier, int right) {
  uvec4 carry, product;
  umulExtended(low, uvec4(uint(multiplier)), carry, product);
  uvec4 upper = uvec4(high) * uint(multiplier) + carry;
  if (right > 32) return ivec4(upper + (1u << (right - 33))) >> (right - 32);
  uvec4 rounded = product + (1u << (right - 1));
  upper += uvec4(lessThan(rounded, product));
  return ivec4(right == 32 ? upper : (rounded >> right) | (upper << (32 - right)));
}

// The stored value of a number of steps: clamped to `range` (x, y: lowest and highest), zero in lanes past the last
// channel.
vec4 clamp_quanta(Tensor t, int slice, ivec4 quanta, ivec4 range) {
  return mask_lanes(t, slice, vec4(clamp(quanta, range.x, range.y)));
}
