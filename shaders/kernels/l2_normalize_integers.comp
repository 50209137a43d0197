// L2_NORMALIZATION of 8-bit integers over the channels of a pixel, with results in 128ths.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/requantize.glsl"
#include "lib/quotients.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 range;  // lowest and highest result; whether values are multiplied by 128 before they are divided
};

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= in_t.place.z) return;
  int batch = GROUP_Z;
  int base = in_t.place.x + batch * in_t.place.y * in_t.place.z + pixel;
  ivec4 squares = ivec4(0);
  for (int s = 0; s < in_t.place.y; ++s) {
    ivec4 v = ivec4(load_a(base + s * in_t.place.z));
    squares += v * v;
  }
  ivec2 factor = inverse_root(squares.x + squares.y + squares.z + squares.w);
  int bits = range.z == 1 ? 7 : 0;
  factor.y += 7 - bits;
  int out_base = out_t.place.x + batch * out_t.place.y * out_t.place.z + pixel;
  for (int s = 0; s < in_t.place.y; ++s) {
    ivec4 v = multiply_fixed(ivec4(load_a(base + s * in_t.place.z)) << bits, ivec4(factor.x), ivec4(factor.y));
    store(out_base + s * out_t.place.z, clamp_quanta(out_t, s, v, range));
  }
}
