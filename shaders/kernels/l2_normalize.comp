// L2_NORMALIZATION: divides the channels of a pixel by the root of the sum of their squares.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/activation.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
};

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= in_t.place.z) return;
  int batch = GROUP_Z;
  int base = in_t.place.x + batch * in_t.place.y * in_t.place.z + pixel;
  vec4 squares = vec4(0.0);
  for (int s = 0; s < in_t.place.y; ++s) {
    vec4 v = real(in_t, load_a(base + s * in_t.place.z));
    squares += v * v;
  }
  float norm = max(sqrt(squares.x + squares.y + squares.z + squares.w), 1e-6);
  int out_base = out_t.place.x + batch * out_t.place.y * out_t.place.z + pixel;
  for (int s = 0; s < in_t.place.y; ++s) {
    vec4 v = real(in_t, load_a(base + s * in_t.place.z)) / norm;
    store(out_base + s * out_t.place.z, finish(out_t, s, v));
  }
}
