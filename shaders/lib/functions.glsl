// Float functions other than activations.
#include "ops/function.h"

// 1 - erf(x) for nonnegative x, by a Chebyshev fit with a relative error of 1.2e-7, so that the tail of GELU is
// accurate.
vec4 erfc(vec4 x) {
  vec4 t = 1.0 / (1.0 + 0.5 * x);
  vec4 sum = -0.18628806 + t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277))));
  return t * exp(-x * x - 1.26551223 + t * (1.00002368 + t * (0.37409196 + t * (0.09678418 + t * sum))));
}

vec4 gelu(vec4 x) {
  vec4 tail = erfc(abs(x) * 0.70710678118);
  return 0.5 * x * mix(2.0 - tail, tail, lessThan(x, vec4(0.0)));
}

// A series where e^x - 1 would cancel.
vec4 exp_less_one(vec4 x) {
  vec4 series = x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0))));
  return mix(exp(x) - 1.0, series, lessThan(abs(x), vec4(0.1)));
}

// Reduces the argument to [-pi, pi] first, with 2 pi in two parts: drivers may be inaccurate far from zero.
vec4 reduce_angle(vec4 x) {
  vec4 turns = floor(x * 0.15915494309 + 0.5);
  return (x - turns * 6.28125) - turns * 0.00193530717958648;
}

// Near 1, OpenGL ES bounds the error of log() only in absolute terms, so this uses twice the series of the inverse
// hyperbolic tangent of (x - 1) / (x + 1).
vec4 log_of(vec4 x) {
  vec4 s = (x - 1.0) / (x + 1.0), s2 = s * s;
  vec4 series = 2.0 * s * (1.0 + s2 * (1.0 / 3.0 + s2 * (1.0 / 5.0 + s2 * (1.0 / 7.0))));
  return mix(log(x), series, lessThan(abs(x - 1.0), vec4(0.25)));
}

vec4 math(int code, vec4 x) {
  switch (code) {
    case GpuUnary_kRsqrt: return inversesqrt(x);
    case GpuUnary_kSqrt: return sqrt(x);
    case GpuUnary_kSquare: return x * x;
    case GpuUnary_kNeg: return -x;
    case GpuUnary_kAbs: return abs(x);
    case GpuUnary_kLog: return log_of(x);
    case GpuUnary_kFloor: return floor(x);
    case GpuUnary_kCeil: return ceil(x);
    case GpuUnary_kRound: return roundEven(x);
    case GpuUnary_kSign: return sign(x);
    case GpuUnary_kSin: return sin(reduce_angle(x));
    case GpuUnary_kCos: return cos(reduce_angle(x));
    case GpuUnary_kElu: return mix(x, exp_less_one(x), lessThan(x, vec4(0.0)));
    case GpuUnary_kGelu: return gelu(x);
    case GpuUnary_kGeluByTanh: return x / (1.0 + exp(-clamp(1.59576912160 * (x + 0.044715 * x * x * x), -80.0, 80.0)));
    case GpuUnary_kRelu0To1: return keep_nans(x, clamp(x, 0.0, 1.0));
    case GpuUnary_kZero: return vec4(0.0);
  }
  return x;
}

// pow() is undefined for negative bases; there the parity of the exponent gives the sign.
vec4 power(vec4 x, vec4 y) {
  vec4 magnitude = pow(abs(x), y);
  vec4 of_zero = mix(vec4(equal(y, vec4(0.0))), vec4(uintBitsToFloat(0x7f800000u)), lessThan(y, vec4(0.0)));
  magnitude = mix(magnitude, of_zero, equal(x, vec4(0.0)));
  bvec4 odd = notEqual(floor(y * 0.5) * 2.0, y);
  return mix(magnitude, -magnitude, bvec4(uvec4(odd) & uvec4(lessThan(x, vec4(0.0)))));
}

// An integer quotient may come out slightly low; the remainder reveals this.
vec4 floor_divide(vec4 a, vec4 b) {
  vec4 quotient = floor(a / b);
  vec4 rest = (a - quotient * b) * sign(b);
  return quotient + vec4(greaterThanEqual(rest, abs(b))) - vec4(lessThan(rest, vec4(0.0)));
}

// atan() is undefined at 0, 0, and may ignore the sign of a zero.
vec4 angle(vec4 y, vec4 x) {
  vec4 half_turn = mix(vec4(3.14159265), vec4(-3.14159265), lessThan(floatBitsToInt(y), ivec4(0)));
  vec4 on_axis = mix(y, half_turn, lessThan(floatBitsToInt(x), ivec4(0)));
  return mix(atan(y, x), on_axis, equal(y, vec4(0.0)));
}

vec4 combine(int code, vec4 a, vec4 b) {
  switch (code) {
    case GpuBinary_kSub: return a - b;
    case GpuBinary_kMul: return a * b;
    case GpuBinary_kMaximum: return max(a, b);
    case GpuBinary_kMinimum: return min(a, b);
    case GpuBinary_kPrelu: return mix(a, a * b, lessThan(a, vec4(0.0)));  // PRELU: b is the slope
    case GpuBinary_kDiv: return a / b;
    case GpuBinary_kPow: return power(a, b);
    case GpuBinary_kSquaredDifference: return (a - b) * (a - b);
    case GpuBinary_kFloorDiv: return floor_divide(a, b);
    case GpuBinary_kFloorMod: return a - b * floor_divide(a, b);
    case GpuBinary_kAtan2: return angle(a, b);
  }
  return a + b;
}

bvec4 compare(int code, vec4 a, vec4 b) {
  switch (code) {
    case GpuBinary_kEqual: return equal(a, b);
    case GpuBinary_kNotEqual: return notEqual(a, b);
    case GpuBinary_kLess: return lessThan(a, b);
    case GpuBinary_kLessEqual: return lessThanEqual(a, b);
    case GpuBinary_kGreater: return greaterThan(a, b);
  }
  return greaterThanEqual(a, b);
}
