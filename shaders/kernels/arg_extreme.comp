// ARG_MAX and ARG_MIN: the index of the first maximum or minimum among the pixels of a slice or (CHANNELS) among the
// channels of a pixel.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 code;  // x: whether to find the minimum
};

#ifdef CHANNELS
void main() {
  int pixel = INVOCATION_X;
  if (pixel >= in_t.place.z) return;
  int batch = GROUP_Z;
  int base = in_t.place.x + batch * in_t.place.y * in_t.place.z + pixel;
  A_VALUE best = A_VALUE(load_a(base).x);
  int place = 0;
  for (int s = 0; s < in_t.place.y; ++s) {
    A_VALUE v = load_a(base + s * in_t.place.z);
    for (int lane = 0; lane < 4; ++lane) {
      bool better = code.x == 1 ? v[lane] < best.x : v[lane] > best.x;
      if (better && s * 4 + lane < in_t.size.z) {
        best.x = v[lane];
        place = s * 4 + lane;
      }
    }
  }
  store(out_t.place.x + batch * in_t.place.z + pixel, ivec4(place, 0, 0, 0));
}
#else
void main() {
  int layer = INVOCATION_X;
  if (layer >= in_t.size.w * in_t.place.y) return;
  int base = in_t.place.x + layer * in_t.place.z;
  A_VALUE best = load_a(base);
  ivec4 place = ivec4(0);
  for (int i = 1; i < in_t.place.z; ++i) {
    A_VALUE v = load_a(base + i);
    bvec4 better = code.x == 1 ? lessThan(v, best) : greaterThan(v, best);
    best = mix(best, v, better);
    place = mix(place, ivec4(i), better);
  }
  store(out_t.place.x + layer, mask_lanes(out_t, remainder(layer, out_t.place.y), place));
}
#endif
