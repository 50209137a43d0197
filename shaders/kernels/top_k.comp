// TOPK_V2: for each of the four channels of a slice, an invocation counts the channels that precede it in the result,
// which is its index there; of equal ones the lower channel comes first. Rows of the result are elements of one channel
// each, so every element has one writer. PLACES: writes the channel indices, not the values.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 count;  // x: number of selected elements per row
};

void main() {
  int item = INVOCATION_X;
  if (item >= in_t.place.z * in_t.place.y) return;
  int pixel = item % in_t.place.z, slice = item / in_t.place.z;
  int batch = GROUP_Z;
  int base = in_t.place.x + batch * in_t.place.y * in_t.place.z + pixel;

  A_VALUE own = load_a(base + slice * in_t.place.z);
  ivec4 channel = ivec4(slice * 4) + ivec4(0, 1, 2, 3);
  ivec4 before = ivec4(0);
  for (int s = 0; s < in_t.place.y; ++s) {
    A_VALUE others = load_a(base + s * in_t.place.z);
    for (int lane = 0; lane < 4; ++lane) {
      int other = s * 4 + lane;
      if (other >= in_t.size.z) break;
      A_VALUE v = A_VALUE(others[lane]);
      before += ivec4(greaterThan(v, own)) + ivec4(equal(v, own)) * ivec4(lessThan(ivec4(other), channel));
    }
  }
  int row = out_t.place.x + (batch * in_t.place.z + pixel) * count.x;
  for (int lane = 0; lane < 4; ++lane) {
    if (channel[lane] >= in_t.size.z || before[lane] >= count.x) continue;
#ifdef PLACES
    store(row + before[lane], ivec4(channel[lane], 0, 0, 0));
#else
    A_VALUE v = A_VALUE(0);
    v.x = own[lane];
    store(row + before[lane], v);
#endif
  }
}
