// MEAN over rows and columns: one work group per slice. Each invocation sums every 64th pixel, then the group adds up
// its sums as a tree: a fixed order, so a fixed result.
//   ADDEND  the data are the sum of both inputs
#define USES_A
#ifdef ADDEND
#define USES_B
#endif
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/activation.glsl"
#ifdef REQUANTIZE
#include "lib/requantize.glsl"
#endif

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 code;   // 0; REQUANTIZE: offset added to sums, their multiplier and shift
  ivec4 range;  // REQUANTIZE: lowest and highest result, 0, offset added to scaled sums
#ifdef ADDEND
  Tensor addend_t;
#endif
};

shared vec4 sums[kKernelInvocations];

void main() {
  int layer = GROUP_Z;
  int lane = int(gl_LocalInvocationID.x);
  int base = in_t.place.x + layer * in_t.place.z;
  vec4 acc = vec4(0.0);
#ifdef ADDEND
  int addend = addend_t.place.x + layer * in_t.place.z;
  for (int i = lane; i < in_t.place.z; i += kKernelInvocations) acc += load_a(base + i) + load_b(addend + i);
#else
  for (int i = lane; i < in_t.place.z; i += kKernelInvocations) acc += load_a(base + i);
#endif
  sums[lane] = acc;
  for (int width = kKernelInvocations / 2; width > 0; width >>= 1) {
    barrier();
    if (lane < width) sums[lane] += sums[lane + width];
  }
  if (lane == 0) {
#ifdef REQUANTIZE
    ivec4 total = multiply_fixed(ivec4(sums[0]) + code.y, ivec4(code.z), ivec4(code.w));
    store(out_t.place.x + layer, clamp_quanta(out_t, remainder(layer, out_t.place.y), total + range.w, range));
#else
    vec4 mean = sums[0] * (in_t.quant.x / float(in_t.place.z));
    store(out_t.place.x + layer, finish(out_t, remainder(layer, out_t.place.y), mean));
#endif
  }
}
