// Stores a tensor into an image: its first four channels, or (PROBABILITY) the probability of the foreground classes.
//   FORMAT  rgba8, rgba16f or rgba32f
#define USES_A
#include "sightglass/model.h"
#include "lib/tensor.glsl"
#include "ops/tensor_io.h"

layout(local_size_x = kKernelInvocations) in;

layout(FORMAT, binding = kOutputImage) writeonly uniform image2D result;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  ivec4 code;             // OutputActivation still to be applied
  vec4 map;               // before that: factor, summand
  ivec4 class_bits[kMaxClasses / 128];  // bit c: channel c is foreground
};

#ifdef PROBABILITY
vec4 selected(int slice) {
  int bits = class_bits[slice >> 5][(slice >> 3) & 3] >> ((slice & 7) * 4);
  return vec4((ivec4(bits) >> ivec4(0, 1, 2, 3)) & 1);
}

vec4 load(int slice, int pixel) {
  return map.x * real(in_t, load_a(in_t.place.x + slice * in_t.place.z + pixel)) + map.y;
}

float probability(int pixel) {
  vec4 sum = vec4(0.0);
  if (code.x == OutputActivation_kSoftmax) {
    vec4 high = vec4(-3.402823466e+38);
    for (int s = 0; s < in_t.place.y; ++s) {
      high = max(high, mix(high, load(s, pixel), is_channel(in_t, s)));
    }
    float top = max(max(high.x, high.y), max(high.z, high.w));
    vec4 total = vec4(0.0);
    for (int s = 0; s < in_t.place.y; ++s) {
      vec4 e = mask_lanes(in_t, s, exp(load(s, pixel) - top));
      total += e;
      sum += e * selected(s);
    }
    return dot(sum, vec4(1.0)) / dot(total, vec4(1.0));
  }
  for (int s = 0; s < in_t.place.y; ++s) {
    vec4 v = load(s, pixel);
    if (code.x == OutputActivation_kSigmoid) v = 1.0 / (1.0 + exp(-v));
    sum += v * selected(s);
  }
  return clamp(dot(sum, vec4(1.0)), 0.0, 1.0);
}
#endif

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= in_t.place.z) return;
#ifdef PROBABILITY
  vec4 v = vec4(vec3(probability(pixel)), 1.0);
#else
  vec4 v = real(in_t, load_a(in_t.place.x + pixel));
#endif
  imageStore(result, column_row(pixel, in_t.size.x), v);
}
