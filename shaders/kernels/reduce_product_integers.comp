// REDUCE_PROD of integers over the pixels of a line, in their order: each product is scaled before the next
// multiplication. An invocation computes one slice of one line.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/requantize.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 factor;  // multiplier, right shift
  ivec4 range;   // lowest and highest result
};

ivec4 scaled(ivec4 high, ivec4 low) { return multiply_wide(high, uvec4(low), factor.x, factor.y); }

void main() {
  int layer = INVOCATION_X;
  if (layer >= in_t.size.w * in_t.place.y) return;
  int base = in_t.place.x + layer * in_t.place.z;
  ivec4 product = ivec4(load_a(base));
  for (int i = 1; i < in_t.place.z; ++i) {
    ivec4 high, low;
    imulExtended(product, ivec4(load_a(base + i)), high, low);
    product = scaled(high, low);
  }
  product = scaled(product >> 31, product);
  store(out_t.place.x + layer, clamp_quanta(out_t, remainder(layer, out_t.place.y), product, range));
}
