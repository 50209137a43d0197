// Sums, differences, products and other functions of quantized tensors, and requantization, in the integer arithmetic of
// the TensorFlow Lite kernels (graph/quantized.h), with numpy broadcasting.
//   USES_B      two operands
//   BROADCAST   broadcasting of operands: GpuRepeat
//   OPERATION   GpuQuantized, if it is none of the following
//   NEAREST     sums with NearestSum, others with NearestFactor
//   DIVISION    the quotient, and nothing else
//   COMPARISON  GpuBinary of a comparison, whose results are integers
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/broadcast.glsl"
#include "lib/requantize.glsl"
#include "ops/function.h"
#ifdef DIVISION
#include "lib/quotients.glsl"
#endif
#ifdef COMPARISON
#include "lib/activation.glsl"
#include "lib/functions.glsl"
#endif

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor a_t;
  Tensor b_t;
  Tensor out_t;
  ivec4 code;    // 0; left shift of operands in bits; 0; offset added to the result
  ivec4 range;   // lowest and highest result, 0, 0
  ivec4 factor;  // multiplier and shift of the result, 0, 0
  ivec4 factors; // NEAREST, of a sum: those of a and b, the half step, how far ties are moved. Otherwise, of the operands of a
                 // sum: multiplier and shift of a, of b; of negative data of PRELU: those of a; right shifts of shifted
                 // operands: y, w
  vec4 nearest;  // NEAREST, of others: scale and bits of NearestFactor; of PRELU: also those for products with the slope
  ivec4 steps_a_b;  // broadcasting steps
  ivec4 steps;      // z: inner size
};

// An operand of 16 bits divided by a power of two, as by shifted_operand().
ivec4 shifted(ivec4 x, int right) {
  return right > 15 ? sign(x * 2 + 1) : divide_by_power_of_two(x, ivec4(right));
}

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  int slice = remainder(layer, out_t.place.y);
  int target = layer * out_t.place.z + pixel;
#ifndef BROADCAST
  int index_a = a_t.place.x + target, index_b = b_t.place.x + target;
#elif BROADCAST == GpuRepeat_kPictures
  int index_a = picture_index(a_t, layer, pixel), index_b = picture_index(b_t, layer, pixel);
#else
  int index_a = broadcast_index(a_t, steps_a_b.xy, steps.z, out_t, layer, pixel);
  int index_b = broadcast_index(b_t, steps_a_b.zw, steps.z, out_t, layer, pixel);
#endif
  vec4 a = load_a(index_a);
#ifdef USES_B
  vec4 b = load_b(index_b);
#ifdef BROADCAST
  if (a_t.size.z == 1) a = a.xxxx;
  if (b_t.size.z == 1) b = b.xxxx;
#endif
#endif
#ifdef NEAREST
#if OPERATION == GpuQuantized_kAdd || OPERATION == GpuQuantized_kSub
  vec4 number = a * (float(factors.x) * kNearestStep) + b * (float(factors.y) * kNearestStep);
  ivec4 in_steps = ivec4(a) * factors.x + ivec4(b) * factors.y;
  ivec4 quanta = nearest_integer(number, in_steps, ivec4(factors.z), ivec4(factors.w));
#else
#if OPERATION == GpuQuantized_kMul
  a *= b;
#endif
  vec4 product = multiply_nearest(a, nearest_factor(vec4(nearest.x), ivec4(nearest.y), true));
#if OPERATION == GpuQuantized_kPrelu
  vec4 sloped = multiply_nearest(a * b, nearest_factor(vec4(nearest.z), ivec4(nearest.w), true));
  product = mix(product, sloped, lessThan(a, vec4(0.0)));
#endif
  ivec4 quanta = ivec4(product);
#endif
  store(out_t.place.x + target, clamp_quanta(out_t, slice, quanta, range));
#else
  ivec4 x = ivec4(a);
#ifdef USES_B
  ivec4 y = ivec4(b);
#ifdef COMPARISON
  x = multiply_fixed(x << code.y, ivec4(factors.x), ivec4(factors.y));
  y = multiply_fixed(y << code.y, ivec4(factors.z), ivec4(factors.w));
  // At most 24 bits, so floats represent them.
  ivec4 holds = ivec4(compare(COMPARISON, vec4(x), vec4(y)));
  store(out_t.place.x + target, mask_lanes(out_t, slice, holds));
#elif defined(DIVISION)
  x = fixed_quotient(x, y, factor.xy);
#elif OPERATION == GpuQuantized_kMul
  x *= y;
#elif OPERATION == GpuQuantized_kPrelu
  ivec4 below = multiply_fixed(x * y, ivec4(factors.x), ivec4(factors.y));
  x = mix(multiply_fixed(x, ivec4(factor.x), ivec4(factor.y)), below, lessThan(x, ivec4(0)));
#elif OPERATION == GpuQuantized_kAddShifted
  x = shifted(x, factors.y) + shifted(y, factors.w);
#elif OPERATION == GpuQuantized_kSubShifted
  x = shifted(x, factors.y) - shifted(y, factors.w);
#else
  x = multiply_fixed(x << code.y, ivec4(factors.x), ivec4(factors.y));
  y = multiply_fixed(y << code.y, ivec4(factors.z), ivec4(factors.w));
  x = OPERATION == GpuQuantized_kAdd ? x + y : x - y;
#if OPERATION == GpuQuantized_kSquaredDifference
  x *= x;
#endif
#endif
#endif
#ifndef COMPARISON
#if !defined(DIVISION) && OPERATION < GpuQuantized_kPrelu
  x = multiply_fixed(x, ivec4(factor.x), ivec4(factor.y));
#endif
  x += code.w;
  store(out_t.place.x + target, clamp_quanta(out_t, slice, x, range));
#endif
#endif
}
