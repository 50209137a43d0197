// PAD and STRIDED_SLICE: the output element at (x, y, channel, batch) is the input element at begin + stride *
// position, or the fill value if there is none. LANES: channels move across lanes, so each is fetched separately.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 begin;   // x, y, channel, batch
  ivec4 stride;  // likewise
  vec4 fill;     // x
};

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  int picture = quotient(layer, out_t.place.y), slice = layer - picture * out_t.place.y;
  ivec2 at = begin.xy + stride.xy * column_row(pixel, out_t.size.x);
  int batch = begin.w + stride.w * picture;

  A_VALUE v = A_VALUE(fill.x);
  if (all(greaterThanEqual(at, ivec2(0))) && all(lessThan(at, in_t.size.xy)) && batch >= 0 && batch < in_t.size.w) {
#ifdef LANES
    for (int lane = 0; lane < 4; ++lane) {
      int channel = begin.z + stride.z * (slice * 4 + lane);
      if (channel < 0 || channel >= in_t.size.z) continue;
      v[lane] = load_a(tensor_index(in_t, batch, channel / 4, at.y, at.x))[channel % 4];
    }
#else
    int in_slice = begin.z / 4 + slice;
    if (in_slice >= 0 && in_slice < in_t.place.y) {
      v = mix(v, load_a(tensor_index(in_t, batch, in_slice, at.y, at.x)), is_channel(in_t, in_slice));
    }
#endif
  }
  store(out_t.place.x + layer * out_t.place.z + pixel, mask_lanes(out_t, slice, v));
}
