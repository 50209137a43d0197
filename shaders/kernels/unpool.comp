// MaxUnpooling2D. An output pixel checks the windows that reach it and takes the value of the last one that selected
// it, or zero. So each element has one writer, and nothing needs clearing first.
#define USES_A
#define USES_B
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor places_t;
  Tensor out_t;
  ivec4 window;     // width, height, stride x, stride y
  ivec4 placement;  // padding left, padding top
};

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  ivec2 at = column_row(pixel, out_t.size.x) + placement.xy;
  // The first window that ends after this pixel, and the last that starts at or before it.
  ivec2 first = max(at - window.xy + window.zw, ivec2(0)) / window.zw;
  ivec2 last = min(at / window.zw, in_t.size.xy - 1);

  vec4 found = vec4(0.0);
  for (int y = first.y; y <= last.y; ++y) {
    for (int x = first.x; x <= last.x; ++x) {
      int i = layer * in_t.place.z + y * in_t.size.x + x;
      ivec2 within = at - ivec2(x, y) * window.zw;
      ivec4 place = ivec4(load_b(places_t.place.x + i));
      found = mix(found, load_a(in_t.place.x + i), equal(place, ivec4(within.y * window.x + within.x)));
    }
  }
  store(out_t.place.x + layer * out_t.place.z + pixel, found);
}
