// The first CONV_2D of a model with three input channels, reading a texture: the input tensor never exists.
// Normalization is free: the weights are scaled, and the offset of the samples is the weight of the idle fourth lane,
// which is 1 inside the tensor and 0 in the padding, where the tensor would be 0 too.
//   PIXELS  pixels per invocation, one work group width apart
//   SLICES  number of output slices, all computed by one invocation, so that a tap is fetched once
#define WRITES_OUTPUT
#define USES_CONSTANTS
#include "lib/tensor.glsl"
#include "lib/conv_result.glsl"
#include "lib/frame.glsl"

#define LOCAL_X kKernelInvocations
layout(local_size_x = LOCAL_X) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor out_t;
  ivec4 kernel;     // width, height, stride x, stride y
  ivec4 placement;  // dilation x, dilation y, padding left, padding top
  ivec4 constants;  // positions of weights, bias and slope (in vec4), the weight offset
  ivec4 tensor;     // width and height of the input tensor, 0, 0
  vec4 padding;
};

vec4 input_pixel(ivec2 at, FrameCell cell) {
  bool inside = all(greaterThanEqual(at, ivec2(0))) && all(lessThan(at, tensor.xy));
  vec3 sampled = sample_frame_cell((vec2(at) + 0.5) / vec2(tensor.xy), cell, padding).rgb;
  return inside ? vec4(sampled, 1.0) : vec4(0.0);
}

void main() {
  int first_pixel = GROUP_X * (LOCAL_X * PIXELS) + int(gl_LocalInvocationID.x);
  int area = out_t.place.z;
  if (first_pixel >= area) return;
  ivec2 origin[PIXELS];
  for (int p = 0; p < PIXELS; ++p) {
    origin[p] = column_row(min(first_pixel + p * LOCAL_X, area - 1), out_t.size.x) * kernel.zw - placement.zw;
  }

  vec4 acc[PIXELS * SLICES];
  for (int o = 0; o < SLICES; ++o) {
    vec4 bias = load_bias(constants.y + o);
    for (int p = 0; p < PIXELS; ++p) acc[p * SLICES + o] = bias;
  }
  FrameCell cell = frame_cell(1.0 / vec2(tensor.xy));
  int taps = kernel.x * kernel.y;
  int tap = 0;
  for (int ky = 0; ky < kernel.y; ++ky) {
    for (int kx = 0; kx < kernel.x; ++kx, ++tap) {
      FACTOR vec4 v[PIXELS];
      ivec2 step = ivec2(kx, ky) * placement.xy;
#if PIXELS >= 4
      // One copy of the code that samples, which takes compilers long: the pixels take turns in the first place. The
      // number of turns is no constant, as the loop would be unrolled.
      for (int turn = 0; turn < (tensor.x > 0 ? PIXELS : 0); ++turn) {
        ivec2 first = origin[0];
        for (int p = 1; p < PIXELS; ++p) {
          origin[p - 1] = origin[p];
          v[p - 1] = v[p];
        }
        origin[PIXELS - 1] = first;
        v[PIXELS - 1] = input_pixel(first + step, cell);
      }
#else
      for (int p = 0; p < PIXELS; ++p) v[p] = input_pixel(origin[p] + step, cell);
#endif
      for (int o = 0; o < SLICES; ++o) {
        int w = constants.x + (o * taps + tap) * 4;
        FACTOR vec4 w0 = load_weight(w), w1 = load_weight(w + 1), w2 = load_weight(w + 2), w3 = load_weight(w + 3);
        for (int p = 0; p < PIXELS; ++p) {
          acc[p * SLICES + o] += v[p].x * w0 + v[p].y * w1 + v[p].z * w2 + v[p].w * w3;
        }
      }
    }
  }
  for (int p = 0; p < PIXELS; ++p) {
    int pixel = first_pixel + p * LOCAL_X;
    if (pixel >= area) break;
    for (int o = 0; o < SLICES; ++o) {
      Conversion conversion = load_conversion(out_t, o, constants.z, ivec4(0));
      store(out_t.place.x + o * area + pixel, conv_result(out_t, o, acc[p * SLICES + o], conversion));
    }
  }
}
