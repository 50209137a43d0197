// TransformLandmarks: an invocation transforms one landmark. Its third coordinate is unchanged.
#define USES_A
#define USES_B
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;      // a landmark is a pixel
  Tensor matrix_t;  // a row is a pixel
  Tensor out_t;
  vec4 unit;        // x: from the unit of the matrix to that of the landmarks
};

void main() {
  int i = INVOCATION_X;
  if (i >= out_t.place.z) return;
  vec4 v = load_a(in_t.place.x + i);
  vec4 row_x = load_b(matrix_t.place.x), row_y = load_b(matrix_t.place.x + 1);
  vec2 moved = v.x * vec2(row_x.x, row_y.x) + v.y * vec2(row_x.y, row_y.y) + vec2(row_x.w, row_y.w) * unit.x;
  store(out_t.place.x + i, vec4(moved, v.zw));
}
