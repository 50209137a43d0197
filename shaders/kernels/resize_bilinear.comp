// RESIZE_BILINEAR. The input coordinate of an output pixel is (pixel + shift) * scale - shift, with shift 0.5 for
// half-pixel centers and 0 otherwise; the scale includes corner alignment.
//   LAYERS  layers per invocation: for its pixel they share everything but the reads
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/activation.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  vec4 mapping;  // scale x, scale y, shift, 0
  ivec4 code;    // 0; 1 if uint8 values are rounded as stored in the file; zero point, 0
};

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  vec2 at = vec2(column_row(pixel, out_t.size.x));
  vec2 from = (at + mapping.z) * mapping.xy - mapping.z;
  ivec2 low = max(ivec2(floor(from)), ivec2(0));
  low = min(low, in_t.size.xy - 1);
  ivec2 high = min(ivec2(ceil(from)), in_t.size.xy - 1);
  high = max(high, low);
  vec2 f = from - vec2(low);

  int first_layer = int(gl_WorkGroupID.z) * LAYERS;
  int layers = min(LAYERS, out_t.size.w * out_t.place.y - first_layer);
  for (int i = 0; i < layers; ++i) {
    int layer = first_layer + i;
    int base = in_t.place.x + layer * in_t.place.z;
    int row0 = base + low.y * in_t.size.x;
    int row1 = base + high.y * in_t.size.x;
    vec4 top = load_a(row0 + low.x) * (1.0 - f.x) + load_a(row0 + high.x) * f.x;
    vec4 bottom = load_a(row1 + low.x) * (1.0 - f.x) + load_a(row1 + high.x) * f.x;
    vec4 v = top * (1.0 - f.y) + bottom * f.y;
    // Halves round up in this case, not away from the zero point.
    if (code.y != 0) v = floor(v + float(code.z) + 0.5) - float(code.z);
    store(out_t.place.x + layer * out_t.place.z + pixel, finish(out_t, remainder(layer, out_t.place.y), real(in_t, v)));
  }
}
