// Elementwise functions of one integer or boolean tensor, or of two (USES_B) with numpy broadcasting. Integers wrap
// around.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/broadcast.glsl"
#include "ops/function.h"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor a_t;
  Tensor b_t;
  Tensor out_t;
  ivec4 code;       // function of one or two operands, 0, 0, 0
  ivec4 range;      // lowest and highest result, 0, 0
  ivec4 steps_a_b;  // broadcasting steps
  ivec4 steps;      // z: inner size
};

int unary(int a) {
  switch (code.x) {
    case GpuUnary_kNeg: return -a;
    case GpuUnary_kAbs: return abs(a);
    case GpuUnary_kSign: return sign(a);
    case GpuUnary_kLogicalNot: return 1 - a;
    case GpuUnary_kZero: return 0;
  }
  return a;
}

// Rounds toward zero, and returns 0 for a division by zero; for negative operands, GLSL leaves the rounding undefined.
int divide(int a, int b) {
  if (b == 0) return 0;
  int quotient = int(uint(abs(a)) / uint(abs(b)));
  return (a < 0) == (b < 0) ? quotient : -quotient;
}

int floor_divide(int a, int b) {
  int quotient = divide(a, b);
  return quotient * b != a && (a < 0) != (b < 0) && b != 0 ? quotient - 1 : quotient;
}

int power(int a, int b) {
  if (b < 0) return a == 1 || (a == -1 && (b & 1) == 0) ? 1 : a == -1 ? -1 : 0;
  int result = 1;
  for (; b > 0; b >>= 1) {
    if ((b & 1) != 0) result *= a;
    a *= a;
  }
  return result;
}

int binary(int a, int b) {
  switch (code.x) {
    case GpuBinary_kSub: return a - b;
    case GpuBinary_kMul: return a * b;
    case GpuBinary_kMaximum: return max(a, b);
    case GpuBinary_kMinimum: return min(a, b);
    case GpuBinary_kDiv: return divide(a, b);
    case GpuBinary_kPow: return power(a, b);
    case GpuBinary_kSquaredDifference: return (a - b) * (a - b);
    case GpuBinary_kFloorDiv: return floor_divide(a, b);
    case GpuBinary_kFloorMod: return b == 0 ? 0 : a - floor_divide(a, b) * b;
    case GpuBinary_kEqual: return int(a == b);
    case GpuBinary_kNotEqual: return int(a != b);
    case GpuBinary_kLess: return int(a < b);
    case GpuBinary_kLessEqual: return int(a <= b);
    case GpuBinary_kGreater: return int(a > b);
    case GpuBinary_kGreaterEqual: return int(a >= b);
  }
  return a + b;
}

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  ivec4 a = load_a(broadcast_index(a_t, steps_a_b.xy, steps.z, out_t, layer, pixel));
  if (a_t.size.z == 1) a = a.xxxx;
#ifdef USES_B
  ivec4 b = load_b(broadcast_index(b_t, steps_a_b.zw, steps.z, out_t, layer, pixel));
  if (b_t.size.z == 1) b = b.xxxx;
  a = ivec4(binary(a.x, b.x), binary(a.y, b.y), binary(a.z, b.z), binary(a.w, b.w));
#else
  a = ivec4(unary(a.x), unary(a.y), unary(a.z), unary(a.w));
#endif
  a = clamp(a, range.x, range.y);
  store(out_t.place.x + layer * out_t.place.z + pixel, mask_lanes(out_t, remainder(layer, out_t.place.y), a));
}
