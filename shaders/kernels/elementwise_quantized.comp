// Sums, differences, products and other functions of quantized tensors, and requantization, in the integer arithmetic of
// the TensorFlow Lite kernels (graph/quantized.h), with numpy broadcasting.
//   USES_B      two operands
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
  ivec4 code;    // GpuQuantized; left shift of operands in bits; 0; offset added to the result
  ivec4 range;   // lowest and highest result, 0, 0
  ivec4 factor;  // multiplier and shift of the result, 0, 0
  ivec4 factors; // of the operands of a sum: multiplier and shift of a, of b; of negative data of PRELU: those of a; right shifts of
                 // shifted operands: y, w
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
  ivec4 x = ivec4(load_a(broadcast_index(a_t, steps_a_b.xy, steps.z, out_t, layer, pixel)));
#ifdef USES_B
  if (a_t.size.z == 1) x = x.xxxx;
  ivec4 y = ivec4(load_b(broadcast_index(b_t, steps_a_b.zw, steps.z, out_t, layer, pixel)));
  if (b_t.size.z == 1) y = y.xxxx;
#ifdef COMPARISON
  x = multiply_fixed(x << code.y, ivec4(factors.x), ivec4(factors.y));
  y = multiply_fixed(y << code.y, ivec4(factors.z), ivec4(factors.w));
  // At most 24 bits, so floats represent them.
  ivec4 holds = ivec4(compare(COMPARISON, vec4(x), vec4(y)));
  store(out_t.place.x + layer * out_t.place.z + pixel, mask_lanes(out_t, slice, holds));
#elif defined(DIVISION)
  x = fixed_quotient(x, y, factor.xy);
#else
  if (code.x == GpuQuantized_kMul) {
    x *= y;
  } else if (code.x == GpuQuantized_kPrelu) {
    ivec4 below = multiply_fixed(x * y, ivec4(factors.x), ivec4(factors.y));
    x = mix(multiply_fixed(x, ivec4(factor.x), ivec4(factor.y)), below, lessThan(x, ivec4(0)));
  } else if (code.x >= GpuQuantized_kAddShifted) {
    x = shifted(x, factors.y);
    y = shifted(y, factors.w);
    x = code.x == GpuQuantized_kAddShifted ? x + y : x - y;
  } else {
    x = multiply_fixed(x << code.y, ivec4(factors.x), ivec4(factors.y));
    y = multiply_fixed(y << code.y, ivec4(factors.z), ivec4(factors.w));
    x = code.x == GpuQuantized_kAdd ? x + y : x - y;
    if (code.x == GpuQuantized_kSquaredDifference) x *= x;
  }
#endif
#endif
#ifndef COMPARISON
  if (code.x < GpuQuantized_kPrelu) {
    x = multiply_fixed(x, ivec4(factor.x), ivec4(factor.y));
  }
  x += code.w;
  store(out_t.place.x + layer * out_t.place.z + pixel, clamp_quanta(out_t, slice, x, range));
#endif
}
