// Element-wise functions of one tensor, or of two (USES_B) with numpy broadcasting (BROADCAST).
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/activation.glsl"

layout(local_size_x = 64) in;

layout(std140, binding = 0) uniform Params {
  Tensor a_t;
  Tensor b_t;
  Tensor out_t;
  ivec4 code;  // binary operation, function applied to its result, 0, 0
};

#ifdef USES_B
// The codes are those of GpuBinary in ops/function.h.
vec4 combine(vec4 a, vec4 b) {
  switch (code.x) {
    case 1: return a - b;
    case 2: return a * b;
    case 3: return max(a, b);
    case 4: return min(a, b);
    case 5: return mix(a, a * b, lessThan(a, vec4(0.0)));  // PRELU: b is the slope
  }
  return a + b;
}
#endif

#ifdef BROADCAST
int broadcast_index(Tensor t, int batch, int slice, int pixel) {
  ivec2 at = ivec2(pixel % out_t.size.x, pixel / out_t.size.x);
  at = min(at, t.size.xy - 1);  // either the same size or 1
  return tensor_index(t, min(batch, t.size.w - 1), min(slice, t.place.y - 1), at.y, at.x);
}
#endif

void main() {
  int pixel = int(gl_GlobalInvocationID.x);
  if (pixel >= out_t.place.z) return;
  int layer = int(gl_WorkGroupID.z);
  int slice = layer % out_t.place.y;
#ifdef BROADCAST
  int batch = layer / out_t.place.y;
  vec4 a = load_a(broadcast_index(a_t, batch, slice, pixel));
  if (a_t.size.z == 1) a = a.xxxx;
  vec4 b = load_b(broadcast_index(b_t, batch, slice, pixel));
  if (b_t.size.z == 1) b = b.xxxx;
#else
  int at = layer * out_t.place.z + pixel;
  vec4 a = load_a(a_t.place.x + at);
#ifdef USES_B
  vec4 b = load_b(b_t.place.x + at);
#endif
#endif
  a = real(a_t, a);
#ifdef USES_B
  a = combine(a, real(b_t, b));
#endif
  store(out_t.place.x + layer * out_t.place.z + pixel, finish(out_t, slice, code.y, a, vec4(0.0)));
}
