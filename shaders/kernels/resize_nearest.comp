// RESIZE_NEAREST_NEIGHBOR.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  vec4 scale;  // x, y, offset of a coordinate before scaling; w: offset after
};

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  vec2 at = (vec2(column_row(pixel, out_t.size.x)) + scale.z) * scale.xy;
  // Halves away from zero. Does not add 0.5 to values for which the sum would be rounded.
  vec2 whole = floor(at);
  ivec2 from = ivec2(whole);
  if (scale.w != 0.0) from += ivec2(greaterThanEqual(at - whole, vec2(0.5)));
  from = min(from, in_t.size.xy - 1);
  A_VALUE v = load_a(in_t.place.x + (layer * in_t.size.y + from.y) * in_t.size.x + from.x);
  store(out_t.place.x + layer * out_t.place.z + pixel, v);
}
