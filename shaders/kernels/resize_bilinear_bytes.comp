// RESIZE_BILINEAR of uint8, in the 32-bit floats of TensorFlow Lite: a result between two integers depends on their last
// bits. The constants contain, by column and by row, the two pixels of the input and their weights.
//   LAYERS   layers per invocation: for its pixels they share everything but the reads
//   COLUMNS  adjacent pixels per invocation, which share what they read
//   SOURCES  columns of the input that these need
#define USES_A
#define WRITES_OUTPUT
#define USES_CONSTANTS
#include "lib/tensor.glsl"
#include "lib/bilinear.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 taps;  // positions of columns and rows; zero point; always 0
};

// A result that compilers cannot fuse with the next operation or calculate in another order: they do not know the 0.
vec4 rounded(vec4 result) { return intBitsToFloat(floatBitsToInt(result) ^ taps.w); }

void main() {
  int groups = quotient(out_t.size.x + COLUMNS - 1, COLUMNS);
  ivec2 group = column_row(INVOCATION_X, groups);
  if (group.y >= out_t.size.y) return;
  vec4 row = load_bias(taps.y + group.y);
  ivec2 rows = ivec2(row.xy) * in_t.size.x;
  int first = group.x * COLUMNS, left = int(load_bias(taps.x + first).x);
  ivec2 from[COLUMNS];  // from `left` on
  vec4 weights[COLUMNS];
  for (int c = 0; c < COLUMNS; ++c) {
    vec4 column = load_bias(taps.x + min(first + c, out_t.size.x - 1));
    from[c] = ivec2(column.xy) - left;
    weights[c] = rounded(vec4(row.z * column.zw, row.w * column.zw));
  }
  vec4 zero = vec4(float(taps.z));

  int first_layer = GROUP_Z * LAYERS;
  int layers = min(LAYERS, out_t.size.w * out_t.place.y - first_layer);
  for (int i = 0; i < layers; ++i) {
    int layer = first_layer + i;
    int base = in_t.place.x + layer * in_t.place.z;
    vec4 top[SOURCES], bottom[SOURCES];
    for (int j = 0; j < SOURCES; ++j) {
      int column = base + min(left + j, in_t.size.x - 1);
      top[j] = load_a(column + rows.x) + zero;
      bottom[j] = load_a(column + rows.y) + zero;
    }
    int slice = remainder(layer, out_t.place.y);
    int target = out_t.place.x + layer * out_t.place.z + group.y * out_t.size.x + first;
    for (int c = 0; c < COLUMNS; ++c) {
      vec4 sum = rounded(source(top, from[c].x) * weights[c].x);
      sum = rounded(sum + rounded(source(top, from[c].y) * weights[c].y));
      sum = rounded(sum + rounded(source(bottom, from[c].x) * weights[c].z));
      sum = rounded(sum + rounded(source(bottom, from[c].y) * weights[c].w));
      vec4 result = clamp(floor(sum + 0.5), 0.0, 255.0) - zero;
      if (first + c < out_t.size.x) store(target + c, mask_lanes(out_t, slice, result));
    }
  }
}
