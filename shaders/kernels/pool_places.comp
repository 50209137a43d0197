// Position in the window of each maximum for MaxPoolingWithArgmax2D: row * window width + column, plus a tenth, so that
// rounding to 16 bits keeps the integer part. The first of equal maxima wins.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 window;     // width, height, stride x, stride y
  ivec4 placement;  // padding left, padding top
};

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  ivec2 origin = column_row(pixel, out_t.size.x) * window.zw - placement.xy;
  ivec2 from = max(origin, ivec2(0)), to = min(origin + window.xy, in_t.size.xy);

  int base = in_t.place.x + layer * in_t.place.z;
  vec4 largest = vec4(-3.402823466e+38);
  ivec4 place = ivec4(0);
  for (int y = from.y; y < to.y; ++y) {
    for (int x = from.x; x < to.x; ++x) {
      vec4 v = load_a(base + y * in_t.size.x + x);
      bvec4 larger = greaterThan(v, largest);
      largest = mix(largest, v, larger);
      place = mix(place, ivec4((y - origin.y) * window.x + x - origin.x), larger);
    }
  }
  store(out_t.place.x + layer * out_t.place.z + pixel, mask_lanes(out_t, remainder(layer, out_t.place.y), vec4(place) + 0.1));
}
