// RESIZE_BILINEAR of integers, in the integer arithmetic of TensorFlow Lite: coordinates and weights have ten fractional
// bits.
//   WIDE  values of 16 bits, otherwise of 8
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

// The four pixels times their weights.
ivec4 weighted(ivec4 pixels[4], ivec4 weights) {
  return pixels[0] * weights.x + pixels[1] * weights.y + pixels[2] * weights.z + pixels[3] * weights.w;
}

// The sum of the pixels, rounded: halves away from zero, of the stored values, not of their distance from the zero
// point.
ivec4 rounded(ivec4 pixels[4], ivec4 weights) {
#ifdef WIDE
  // Sums have 36 bits: those of the high bytes, in steps of 2^8, and those of the low bytes.
  ivec4 high[4], low[4];
  for (int i = 0; i < 4; ++i) {
    high[i] = pixels[i] >> 8;
    low[i] = pixels[i] & 255;
  }
  ivec4 rest = weighted(low, weights);
  ivec4 sum = weighted(high, weights) + (rest >> 8) + (range.z << 12);
  ivec4 sign_bits = sum >> 31;
  // The magnitude of a negative number, rounded down, is one less unless there is no rest.
  ivec4 magnitude = (sum ^ sign_bits) + (sign_bits & ivec4(equal(rest & 255, ivec4(0))));
  magnitude = (magnitude + (1 << 11)) >> 12;
#else
  ivec4 sum = weighted(pixels, weights) + (range.z << 20);
  ivec4 sign_bits = sum >> 31;
  ivec4 magnitude = ((sum ^ sign_bits) - sign_bits + (1 << 19)) >> 20;
#endif
  return (magnitude ^ sign_bits) - sign_bits;
}

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
  ivec4 pixels[4];
  pixels[0] = ivec4(load_a(row0 + low.x));
  pixels[1] = ivec4(load_a(row0 + high.x));
  pixels[2] = ivec4(load_a(row1 + low.x));
  pixels[3] = ivec4(load_a(row1 + high.x));
  ivec4 weights = ivec4(first.y * ivec2(first.x, second.x), second.y * ivec2(first.x, second.x));
  ivec4 result = rounded(pixels, weights) - range.z;
  store(out_t.place.x + layer * out_t.place.z + pixel,
        clamp_quanta(out_t, remainder(layer, out_t.place.y), result, range));
}
