// RESIZE_BILINEAR of uint8, in the 32-bit floats of TensorFlow Lite: a result between two integers depends on their last
// bits. The constants contain, by column and by row, the two pixels of the input and their weights.
//   LAYERS  layers per invocation, which share the two pixels and their weights
#define USES_A
#define WRITES_OUTPUT
#define USES_CONSTANTS
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 taps;  // positions of columns and rows; zero point; always 0
};

// A result that compilers cannot fuse with the next operation or calculate in another order: they do not know the 0.
vec4 rounded(vec4 result) { return intBitsToFloat(floatBitsToInt(result) ^ taps.w); }

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  ivec2 to = column_row(pixel, out_t.size.x);
  vec4 column = load_bias(taps.x + to.x), row = load_bias(taps.y + to.y);
  vec4 weights = rounded(vec4(row.z * column.zw, row.w * column.zw));
  ivec2 rows = ivec2(row.xy) * in_t.size.x;
  ivec4 from = ivec4(column.xyxy) + rows.xxyy;
  vec4 zero = vec4(float(taps.z));

  int first_layer = GROUP_Z * LAYERS;
  int end = min(first_layer + LAYERS, out_t.size.w * out_t.place.y);
  for (int layer = first_layer; layer < end; ++layer) {
    int base = in_t.place.x + layer * in_t.place.z;
    vec4 sum = rounded((load_a(base + from.x) + zero) * weights.x);
    sum = rounded(sum + rounded((load_a(base + from.y) + zero) * weights.y));
    sum = rounded(sum + rounded((load_a(base + from.z) + zero) * weights.z));
    sum = rounded(sum + rounded((load_a(base + from.w) + zero) * weights.w));
    vec4 result = clamp(floor(sum + 0.5), 0.0, 255.0) - zero;
    store(out_t.place.x + layer * out_t.place.z + pixel,
          mask_lanes(out_t, remainder(layer, out_t.place.y), result));
  }
}
