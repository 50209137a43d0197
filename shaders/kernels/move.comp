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
  ivec4 map;       // dimensions, first, Outside, stride from lane to lane, or 0 if it varies
  vec4 fill;       // x
  ivec4 dims[12];  // size, stride, begin, limit
};

// The input position, or -1.
int source(int place) {
  int from = map.y;
  for (int k = map.x - 1; k >= 0; --k) {
    ivec4 dim = dims[k];
    int rows = quotient(place, dim.x);
    int p = dim.z + place - rows * dim.x;
    place = rows;
    if (map.z != Outside_kNothing && (p < 0 || p >= dim.w)) {
      if (map.z == Outside_kFill) return -1;
      int repeated = map.z == Outside_kSymmetric ? 1 : 0;  // the element at the border
      p = p < 0 ? -repeated - p : 2 * dim.w - 2 + repeated - p;
    }
    from += p * dim.y;
  }
  return from;
}

// The index of the slice of a pixel, counted over all images.
int index_of(int pixel, int slice) {
  int picture = in_t.size.w == 1 ? 0 : quotient(pixel, in_t.place.z);
  return in_t.place.x + (picture * in_t.place.y + slice - picture) * in_t.place.z + pixel;
}

void put(int picture, int slice, int pixel, A_VALUE v) {
  store(out_t.place.x + (picture * out_t.place.y + slice) * out_t.place.z + pixel, mask_lanes(out_t, slice, v));
}

#ifdef LANES
void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  int picture = quotient(layer, out_t.place.y);
  int slice = layer - picture * out_t.place.y;
  A_VALUE v = A_VALUE(fill.x);
  int first = (picture * out_t.place.z + pixel) * out_t.size.z + slice * 4, near = map.w == 0 ? 0 : source(first);
  for (int lane = 0; lane < 4; ++lane) {
    if (slice * 4 + lane >= out_t.size.z) break;
    int from = map.w == 0 ? source(first + lane) : near + lane * map.w;
    if (from < 0) continue;
    int in_pixel = quotient(from, in_t.size.z);
    int channel = from - in_pixel * in_t.size.z;
    v[lane] = load_a(index_of(in_pixel, channel >> 2))[channel & 3];
  }
  put(picture, slice, pixel, v);
}
#else
// All slices of a pixel come from one place: an invocation moves some.
void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int group = GROUP_Z, groups = (out_t.place.y + kMovedSlices - 1) / kMovedSlices;
  int picture = quotient(group, groups);
  int first = (group - picture * groups) * kMovedSlices;
  int from = source(picture * out_t.place.z + pixel);
  for (int k = 0; k < kMovedSlices; ++k) {
    int slice = first + k;
    if (slice >= out_t.place.y) break;
    put(picture, slice, pixel, from < 0 ? A_VALUE(fill.x) : load_a(index_of(from, slice)));
  }
}
#endif
