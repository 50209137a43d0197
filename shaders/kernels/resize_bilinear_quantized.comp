// RESIZE_BILINEAR of int8, in the integer arithmetic of TensorFlow Lite: coordinates and weights have ten fractional
// bits.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/requantize.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 scale;   // x, y in 1/1024; x, y of the offset for half-pixel centers
  ivec4 range;   // lowest and highest result; zero point, 0
};

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  ivec2 from = column_row(pixel, out_t.size.x) * scale.xy + scale.zw;
  ivec2 low = max(from, ivec2(0)) >> 10;
  ivec2 high = min((from + 1023) >> 10, in_t.size.xy - 1);
  ivec2 second = from - (low << 10), first = 1024 - second;

  int base = in_t.place.x + layer * in_t.place.z;
  int row0 = base + low.y * in_t.size.x;
  int row1 = base + high.y * in_t.size.x;
  // Rounds the stored values, not their distance from the zero point.
  ivec4 sum = ivec4(load_a(row0 + low.x)) * (first.y * first.x) + ivec4(load_a(row0 + high.x)) * (first.y * second.x) +
              ivec4(load_a(row1 + low.x)) * (second.y * first.x) + ivec4(load_a(row1 + high.x)) * (second.y * second.x);
  sum += range.z << 20;
  ivec4 sign_bits = sum >> 31;
  ivec4 magnitude = ((sum ^ sign_bits) - sign_bits + (1 << 19)) >> 20;
  ivec4 rounded = (magnitude ^ sign_bits) - sign_bits;
  store(out_t.place.x + layer * out_t.place.z + pixel, clamp_quanta(out_t, remainder(layer, out_t.place.y), rounded - range.z, range));
}
