// GATHER and GATHER_ND: parts of `inner` neighboring elements, each from the position that its coordinates in B give.
// Coordinates are clamped. LANES: parts are not whole pixels, so each element is fetched separately; otherwise
// positions count pixels.
#define USES_A
#define USES_B
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor index_t;
  Tensor out_t;
  ivec4 map;      // inner, parts, rows per batch, coordinates per part
  ivec4 row;      // input elements per row
  ivec4 size[2];  // by coordinate: its size
  ivec4 stride[2];
};

int index_at(int place) {
  int channel = place % index_t.size.z;
  int pixel = place / index_t.size.z;
  int layers = pixel / index_t.place.z * index_t.place.y + channel / 4;
  return load_b(index_t.place.x + layers * index_t.place.z + pixel % index_t.place.z)[channel % 4];
}

int source(int place) {
  int part = place / map.x;
  int row_of = part / map.y;
  int from = row_of * row.x + place % map.x;
  int first = (row_of / map.z * map.y + part % map.y) * map.w;
  for (int k = 0; k < map.w; ++k) {
    from += clamp(index_at(first + k), 0, size[k >> 2][k & 3] - 1) * stride[k >> 2][k & 3];
  }
  return from;
}

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  int slice = remainder(layer, out_t.place.y);
  int place = layer / out_t.place.y * out_t.place.z + pixel;
  A_VALUE v = A_VALUE(0);
#ifdef LANES
  for (int lane = 0; lane < 4; ++lane) {
    int channel = slice * 4 + lane;
    if (channel >= out_t.size.z) break;
    int from = source(place * out_t.size.z + channel);
    int in_channel = from % in_t.size.z;
    int in_pixel = from / in_t.size.z;
    int layers = in_pixel / in_t.place.z * in_t.place.y + in_channel / 4;
    v[lane] = load_a(in_t.place.x + layers * in_t.place.z + in_pixel % in_t.place.z)[in_channel % 4];
  }
#else
  int from = source(place);
  v = load_a(in_t.place.x + (from / in_t.place.z * in_t.place.y + slice) * in_t.place.z + from % in_t.place.z);
#endif
  store(out_t.place.x + layer * out_t.place.z + pixel, v);
}
