// The data of a convolution by Winograd's algorithm (winograd.comp): Bᵀ d B of every square. `out_t` has an image of one
// pixel per square for each of the 16 elements, one after the other.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 padding;  // left, top, 0, 0
};

// Bᵀ of one column or row.
void transform(inout vec4 a, inout vec4 b, inout vec4 c, inout vec4 d) {
  vec4 first = a - c, second = b + c, third = c - b, fourth = b - d;
  a = first;
  b = second;
  c = third;
  d = fourth;
}

void main() {
  int square = INVOCATION_X;
  if (square >= out_t.place.z) return;
  int layer = GROUP_Z;  // of the data
  int batch = quotient(layer, in_t.place.y), slice = layer - batch * in_t.place.y;
  ivec2 corner = column_row(square, out_t.size.x) * 2 - padding.xy;
  int base = in_t.place.x + layer * in_t.place.z;

  vec4 d[16];
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 4; ++x) {
      ivec2 at = corner + ivec2(x, y);
      bool inside = all(greaterThanEqual(at, ivec2(0))) && all(lessThan(at, in_t.size.xy));
      vec4 v = load_a(inside ? base + at.y * in_t.size.x + at.x : base);
      d[y * 4 + x] = inside ? v : vec4(0.0);
    }
  }
  for (int x = 0; x < 4; ++x) transform(d[x], d[4 + x], d[8 + x], d[12 + x]);
  for (int y = 0; y < 4; ++y) transform(d[y * 4], d[y * 4 + 1], d[y * 4 + 2], d[y * 4 + 3]);
  for (int element = 0; element < 16; ++element) {
    int image = (batch * 16 + element) * in_t.place.y + slice;
    store(out_t.place.x + image * out_t.place.z + square, d[element]);
  }
}
