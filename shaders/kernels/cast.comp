// CAST: converts elements to another type. Fractions are truncated, narrow integers wrap around.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "ops/function.h"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 target;  // GpuCast; for kNarrow: bits, whether it is signed; 0
  vec4 zero;     // offset of stored values: of the input, of the output
};

// Clamps to the range of an int; converting values outside of it is undefined.
ivec4 to_int(vec4 v) {
  ivec4 inside = ivec4(clamp(trunc(v), -2147483648.0, 2147483520.0));
  return mix(inside, ivec4(2147483647), greaterThanEqual(v, vec4(2147483648.0)));
}
ivec4 to_int(ivec4 v) { return v; }

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  A_VALUE v = load_a(in_t.place.x + layer * out_t.place.z + pixel);
#ifndef A_I32
  v += zero.x;
#endif
  OUT_VALUE result;
  if (target.x == GpuCast_kBool) {
    result = OUT_VALUE(notEqual(v, A_VALUE(0)));
  } else if (target.x == GpuCast_kNarrow) {
    int unused = 32 - target.y;
    ivec4 high = to_int(v) << unused;
    result = OUT_VALUE(target.z == 1 ? high >> unused : ivec4(uvec4(high) >> uint(unused)));
  } else {
#ifdef OUT_I32
    result = to_int(v);
#else
    result = vec4(v);
#endif
  }
#ifndef OUT_I32
  result -= zero.y;
#endif
  store(out_t.place.x + layer * out_t.place.z + pixel, mask_lanes(out_t, remainder(layer, out_t.place.y), result));
}
