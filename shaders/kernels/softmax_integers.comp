// SOFTMAX of 16-bit integers over the channels of a pixel, from two tables (graph/softmax_integers.h).
#define USES_A
#define WRITES_OUTPUT
#define USES_CONSTANTS
#include "lib/tensor.glsl"
#include "lib/requantize.glsl"
#include "lib/tabulated.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 factor;  // of distances from the largest value: multiplier, shift; farthest distance
  ivec4 tables;  // positions of the exponentials and the reciprocals
};

const int kHighest = 32767;

ivec4 load(int base, int slice) { return ivec4(load_a(base + slice * in_t.place.z)); }

ivec4 exponential(ivec4 x, int largest) {
  ivec4 distance = max(x - largest, ivec4(factor.z));
  ivec4 scaled = multiply_fixed(distance, ivec4(factor.x), ivec4(factor.y));
  return tabulated(tables.x, max(scaled, ivec4(-65535)) + kHighest);
}

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= in_t.place.z) return;
  int batch = GROUP_Z;
  int base = in_t.place.x + batch * in_t.place.y * in_t.place.z + pixel;

  // Lanes past the last channel must not affect the maximum or the sum.
  ivec4 high = ivec4(-32768);
  for (int s = 0; s < in_t.place.y; ++s) high = max(high, mix(high, load(base, s), is_channel(in_t, s)));
  int largest = max(max(high.x, high.y), max(high.z, high.w));
  ivec4 total = ivec4(0);
  for (int s = 0; s < in_t.place.y; ++s) total += mask_lanes(in_t, s, exponential(load(base, s), largest));
  int sum = total.x + total.y + total.z + total.w;
  int exponent = findMSB(sum);
  int fraction = int(((uint(sum) << (30 - exponent)) + (1u << 13)) >> 14);
  int reciprocal = tabulated(tables.y, min(fraction - (1 << 16) - (1 << 15), kHighest));

  int out_base = out_t.place.x + batch * out_t.place.y * out_t.place.z + pixel;
  for (int s = 0; s < in_t.place.y; ++s) {
    ivec4 share = (exponential(load(base, s), largest) * reciprocal + (1 << (exponent - 1))) >> exponent;
    store(out_base + s * out_t.place.z, clamp_quanta(out_t, s, share, ivec4(0, kHighest, 0, 0)));
  }
}
