// Reductions. Over the pixels of a slice: one work group per part of `span` pixels; each invocation combines every 64th
// pixel, then the group combines its results as a tree. CHANNELS: over the channels of a pixel, in one invocation. Both
// in a fixed order, so with a fixed result.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/activation.glsl"
#include "ops/function.h"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 code;  // GpuReduction; 0; divisor of the result; span
};

A_VALUE combine(A_VALUE a, A_VALUE b) {
  switch (code.x) {
    case GpuReduction_kMaximum: return max(a, b);
    case GpuReduction_kMinimum: return min(a, b);
    case GpuReduction_kProduct: return a * b;
  }
  return a + b;
}

// The neutral element.
A_VALUE neutral() {
#ifdef A_I32
  int most = 2147483647;
  return A_VALUE(code.x == GpuReduction_kMaximum   ? -most - 1
                 : code.x == GpuReduction_kMinimum ? most
                 : code.x == GpuReduction_kProduct ? 1
                                                   : 0);
#else
  float most = 3.402823466e+38;
  return A_VALUE(code.x == GpuReduction_kMaximum   ? -most
                 : code.x == GpuReduction_kMinimum ? most
                 : code.x == GpuReduction_kProduct ? 1.0
                                                   : 0.0);
#endif
}

vec4 divide(vec4 v) { return v / float(code.z); }
// Rounds toward zero; for negative operands, GLSL leaves the rounding undefined.
ivec4 divide(ivec4 v) { return sign(v) * ivec4(uvec4(abs(v)) / uint(code.z)); }

#ifdef CHANNELS
void main() {
  int pixel = INVOCATION_X;
  if (pixel >= in_t.place.z) return;
  int batch = GROUP_Z;
  int base = in_t.place.x + batch * in_t.place.y * in_t.place.z + pixel;
  A_VALUE acc = neutral();
  for (int s = 0; s < in_t.place.y; ++s) {
    acc = combine(acc, mix(neutral(), real(in_t, load_a(base + s * in_t.place.z)), is_channel(in_t, s)));
  }
  acc = combine(acc, acc.zwzw);
  acc = combine(acc, acc.yyyy);
  store(out_t.place.x + batch * in_t.place.z + pixel, finish(out_t, 0, divide(acc)));
}
#else
shared A_VALUE partial[kKernelInvocations];

void main() {
  int layer = GROUP_Z;
  int part = GROUP_X;
  int lane = int(gl_LocalInvocationID.x);
  int base = in_t.place.x + layer * in_t.place.z;
  int end = min((part + 1) * code.w, in_t.place.z);
  A_VALUE acc = neutral();
  for (int i = part * code.w + lane; i < end; i += kKernelInvocations) acc = combine(acc, real(in_t, load_a(base + i)));
  partial[lane] = acc;
  for (int width = kKernelInvocations / 2; width > 0; width >>= 1) {
    barrier();
    if (lane < width) partial[lane] = combine(partial[lane], partial[lane + width]);
  }
  if (lane == 0 && part < out_t.place.z) {
    A_VALUE v = finish(out_t, remainder(layer, out_t.place.y), divide(partial[0]));
    store(out_t.place.x + layer * out_t.place.z + part, v);
  }
}
#endif
