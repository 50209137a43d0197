// RESIZE_BILINEAR.
//   LAYERS   layers per invocation: for its pixels they share everything but the reads
//   COLUMNS  adjacent pixels per invocation, which share what they read
//   SOURCES  columns of the input that these need
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/activation.glsl"
#include "lib/bilinear.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  vec4 mapping;  // scale x, scale y, shift, 0
};

vec4 across(vec4 row[SOURCES], int low, int high, float share) {
  return source(row, low) * (1.0 - share) + source(row, high) * share;
}

void main() {
  int groups = quotient(out_t.size.x + COLUMNS - 1, COLUMNS);
  ivec2 group = column_row(INVOCATION_X, groups);
  if (group.y >= out_t.size.y) return;
  Between y = between(group.y, mapping.y, mapping.z, in_t.size.y);
  int first = group.x * COLUMNS;
  int left = between(first, mapping.x, mapping.z, in_t.size.x).low;
  int low[COLUMNS], high[COLUMNS];  // from `left` on
  float share[COLUMNS];
  for (int c = 0; c < COLUMNS; ++c) {
    Between x = between(first + c, mapping.x, mapping.z, in_t.size.x);
    low[c] = x.low - left;
    high[c] = x.high - left;
    share[c] = x.share;
  }

  int first_layer = GROUP_Z * LAYERS;
  int layers = min(LAYERS, out_t.size.w * out_t.place.y - first_layer);
  for (int i = 0; i < layers; ++i) {
    int layer = first_layer + i;
    int base = in_t.place.x + layer * in_t.place.z;
    vec4 top[SOURCES], bottom[SOURCES];
    for (int j = 0; j < SOURCES; ++j) {
      int column = base + min(left + j, in_t.size.x - 1);
      top[j] = load_a(column + y.low * in_t.size.x);
      bottom[j] = load_a(column + y.high * in_t.size.x);
    }
    int target = out_t.place.x + layer * out_t.place.z + group.y * out_t.size.x + first;
    for (int c = 0; c < COLUMNS; ++c) {
      vec4 above = across(top, low[c], high[c], share[c]), below = across(bottom, low[c], high[c], share[c]);
      vec4 v = above * (1.0 - y.share) + below * y.share;
      if (first + c < out_t.size.x) store(target + c, finish(out_t, remainder(layer, out_t.place.y), real(in_t, v)));
    }
  }
}
