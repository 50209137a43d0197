// SOFTMAX and LOG_SOFTMAX over the channels of a pixel, with the maximum subtracted first to prevent overflow.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/activation.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  vec4 beta;  // x; y: whether to output logarithms
};

// Lanes past the last channel must not affect the maximum or the sum.
vec4 load(int base, int slice) {
  return mix(vec4(-3.402823466e+38), real(in_t, load_a(base + slice * in_t.place.z)), is_channel(in_t, slice));
}

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= in_t.place.z) return;
  int batch = GROUP_Z;
  int base = in_t.place.x + batch * in_t.place.y * in_t.place.z + pixel;

  vec4 high = load(base, 0);
  for (int s = 1; s < in_t.place.y; ++s) high = max(high, load(base, s));
  float top = max(max(high.x, high.y), max(high.z, high.w));
  vec4 total = vec4(0.0);
  for (int s = 0; s < in_t.place.y; ++s) total += mask_lanes(in_t, s, exp((load(base, s) - top) * beta.x));
  float sum = total.x + total.y + total.z + total.w;

  int out_base = out_t.place.x + batch * out_t.place.y * out_t.place.z + pixel;
  for (int s = 0; s < in_t.place.y; ++s) {
    vec4 v = (load(base, s) - top) * beta.x;
    v = beta.y != 0.0 ? v - log(sum) : exp(v) * (1.0 / sum);
    store(out_base + s * out_t.place.z, finish(out_t, s, v));
  }
}
