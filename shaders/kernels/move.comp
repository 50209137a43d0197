// Moves elements: an output element is the input element at first + the sum over dimensions of stride * p, in tightly
// packed row-major order, with p = begin + the output coordinate. If p is outside [0, limit), it is mirrored, or the
// element is the fill value. LANES: channels move across lanes, so each is fetched separately; otherwise positions
// count pixels.
#define USES_A
#define WRITES_OUTPUT
#include "graph/movement.h"
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 map;   // dimensions, first, Outside, 0
  vec4 fill;   // x
  ivec4 size[3];
  ivec4 stride[3];
  ivec4 begin[3];
  ivec4 limit[3];
};

// The input position, or -1.
int source(int place) {
  int from = map.y;
  for (int k = map.x - 1; k >= 0; --k) {
    int q = k >> 2, r = k & 3;
    int p = begin[q][r] + place % size[q][r];
    place /= size[q][r];
    if (map.z != Outside_kNothing && (p < 0 || p >= limit[q][r])) {
      if (map.z == Outside_kFill) return -1;
      int repeated = map.z == Outside_kSymmetric ? 1 : 0;  // the element at the border
      p = p < 0 ? -repeated - p : 2 * limit[q][r] - 2 + repeated - p;
    }
    from += p * stride[q][r];
  }
  return from;
}

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  int slice = remainder(layer, out_t.place.y);
  int place = layer / out_t.place.y * out_t.place.z + pixel;
  A_VALUE v = A_VALUE(fill.x);
#ifdef LANES
  for (int lane = 0; lane < 4; ++lane) {
    int channel = slice * 4 + lane;
    if (channel >= out_t.size.z) break;
    int from = source(place * out_t.size.z + channel);
    if (from < 0) continue;
    int in_channel = from % in_t.size.z;
    int in_pixel = from / in_t.size.z;
    int layers = in_pixel / in_t.place.z * in_t.place.y + in_channel / 4;
    v[lane] = load_a(in_t.place.x + layers * in_t.place.z + in_pixel % in_t.place.z)[in_channel % 4];
  }
#else
  int from = source(place);
  if (from >= 0) {
    int layers = from / in_t.place.z * in_t.place.y + slice;
    v = load_a(in_t.place.x + layers * in_t.place.z + from % in_t.place.z);
  }
#endif
  store(out_t.place.x + layer * out_t.place.z + pixel, mask_lanes(out_t, slice, v));
}
