// Elementwise functions of one float tensor, or of two (USES_B) with numpy broadcasting (BROADCAST). The output is
// floats too or, for comparisons, integers.
//   BROADCAST  broadcasting of operands: GpuRepeat
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/activation.glsl"
#include "lib/broadcast.glsl"
#include "lib/functions.glsl"
#include "ops/function.h"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor a_t;
  Tensor b_t;
  Tensor out_t;
  vec4 slope;       // x: of LEAKY_RELU
  ivec4 steps_a_b;  // broadcasting steps
  ivec4 steps;      // z: inner size
};

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  int slice = remainder(layer, out_t.place.y);
  int target = layer * out_t.place.z + pixel;
#ifdef BROADCAST
#if BROADCAST == GpuRepeat_kPictures
  int index_a = picture_index(a_t, layer, pixel), index_b = picture_index(b_t, layer, pixel);
#else
  int index_a = broadcast_index(a_t, steps_a_b.xy, steps.z, out_t, layer, pixel);
  int index_b = broadcast_index(b_t, steps_a_b.zw, steps.z, out_t, layer, pixel);
#endif
  vec4 a = load_a(index_a);
  if (a_t.size.z == 1) a = a.xxxx;
  vec4 b = load_b(index_b);
  if (b_t.size.z == 1) b = b.xxxx;
#else
  vec4 a = load_a(a_t.place.x + target);
#ifdef USES_B
  vec4 b = load_b(b_t.place.x + target);
#endif
#endif
  a = real(a_t, a);
#if defined(OUT_I32)
  store(out_t.place.x + target, mask_lanes(out_t, slice, ivec4(compare(FUNCTION, a, real(b_t, b)))));
#else
#ifdef USES_B
  a = combine(FUNCTION, a, real(b_t, b));
#else
  a = math(FUNCTION, a);
#endif
  store(out_t.place.x + target, finish(out_t, slice, a, slope.xxxx));
#endif
}
