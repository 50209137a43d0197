// A function of one quantized value: the constants contain the results for all values, from the lowest.
//   SPREAD  one result per vec4: a lane reads one number instead of choosing from four
#define USES_A
#define WRITES_OUTPUT
#define USES_CONSTANTS
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 table;  // position, in vec4; lowest stored value; count of values
};

float result(int steps) {
  int n = clamp(steps - table.y, 0, table.z - 1);
#ifdef SPREAD
  return load_bias(table.x + n).x;
#else
  return load_bias(table.x + (n >> 2))[n & 3];
#endif
}

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  int at = layer * out_t.place.z + pixel;
  ivec4 x = ivec4(load_a(in_t.place.x + at));
  vec4 y = vec4(result(x.x), result(x.y), result(x.z), result(x.w));
  store(out_t.place.x + at, mask_lanes(out_t, remainder(layer, out_t.place.y), y));
}
