// TransformTensorBilinear: an invocation computes one pixel of one slice from the position that the matrix maps it to;
// zero outside of the image.
#define USES_A
#define USES_B
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor matrix_t;  // a row is a pixel
  Tensor out_t;
  vec4 center;      // x: position of the sample within a pixel
};

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int slice = GROUP_Z;
  vec4 row_x = load_b(matrix_t.place.x), row_y = load_b(matrix_t.place.x + 1);
  vec2 at = vec2(column_row(pixel, out_t.size.x)) + center.x;
  at = at.x * vec2(row_x.x, row_y.x) + at.y * vec2(row_x.y, row_y.y) + vec2(row_x.w, row_y.w) - center.x;

  vec4 result = vec4(0.0);
  if (all(greaterThanEqual(at, vec2(0.0))) && all(lessThanEqual(at, vec2(in_t.size.xy - 1)))) {
    ivec2 first = ivec2(at);
    ivec2 next = min(first + 1, in_t.size.xy - 1);
    vec2 along = at - vec2(first);
    int upper = in_t.place.x + slice * in_t.place.z + first.y * in_t.size.x;
    int lower = in_t.place.x + slice * in_t.place.z + next.y * in_t.size.x;
    vec4 a = mix(load_a(upper + first.x), load_a(upper + next.x), along.x);
    vec4 b = mix(load_a(lower + first.x), load_a(lower + next.x), along.x);
    result = mix(a, b, along.y);
  }
  store(out_t.place.x + slice * out_t.place.z + pixel, result);
}
