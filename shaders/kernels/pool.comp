// AVERAGE_POOL_2D and MAX_POOL_2D. Padding counts neither in the sum nor in the maximum. An invocation computes one
// pixel of one slice, so a window must be small enough for one loop. Large windows run as two passes, rows and columns.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/activation.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 window;     // width, height, stride x, stride y
  ivec4 placement;  // padding left, padding top, 0, 1 for the average and 0 for the maximum
  vec4 rounding;    // 1 if averages are quantized; the zero point
};

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  ivec2 from = column_row(pixel, out_t.size.x) * window.zw - placement.xy;
  ivec2 to = min(from + window.xy, in_t.size.xy);
  from = max(from, ivec2(0));

  bool average = placement.w == 1;
  int base = in_t.place.x + layer * in_t.place.z;
  vec4 acc = average ? vec4(0.0) : vec4(-3.402823466e+38);
  for (int y = from.y; y < to.y; ++y) {
    for (int x = from.x; x < to.x; ++x) {
      vec4 v = load_a(base + y * in_t.size.x + x);
      acc = average ? acc + v : max(acc, v);
    }
  }
  if (average) acc /= float((to.x - from.x) * (to.y - from.y));
  // Averages of quantized values are rounded as stored in the file, not as steps from the zero point.
  if (average && rounding.x != 0.0) acc = round_away(acc + rounding.y) - rounding.y;
  store(out_t.place.x + layer * out_t.place.z + pixel, finish(out_t, remainder(layer, out_t.place.y), real(in_t, acc)));
}
