// DEPTHWISE_CONV_2D. An invocation computes PIXELS pixels of one output slice.
//   PIXELS      the register tile; pixels are one work group apart
//   REQUANTIZE, DYNAMIC  conversion of the sums: lib/conv_result.glsl
//   RESIDUAL             adds the second input: lib/residual.glsl
//   MULTIPLIER  defined if an input channel feeds several output channels
//   COMPUTED    the weights are the second input, a tensor: lib/computed_weights.glsl
#define USES_A
#define WRITES_OUTPUT
#define USES_CONSTANTS
#if defined(DYNAMIC) || defined(COMPUTED) || defined(RESIDUAL)
#define USES_B
#endif
#include "lib/tensor.glsl"
#include "lib/conv_result.glsl"
#include "lib/residual.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 kernel;     // width, height, stride x, stride y
  ivec4 placement;  // dilation x, dilation y, padding left, padding top
  ivec4 constants;  // positions of weights, bias and slope (in vec4), the weight offset
  ivec4 grid;       // channel multiplier, 0, 0, 0
#ifdef COMPUTED
  Tensor weights_t;
  Tensor bias_t;
  ivec4 bias;  // for with_bias(), like the next
  vec4 unit;
#endif
  ivec4 rescale;  // for load_conversion()
#ifdef DYNAMIC
  Tensor quanta_t;  // of the data, per batch
#endif
  RESIDUAL_PARAMS
};
#ifdef COMPUTED
#include "lib/computed_weights.glsl"
#define FIRST_WEIGHT weights_t.place.x
#define LOAD_WEIGHT load_b
#define FIRST_SUM vec4(0.0)
#else
#define FIRST_WEIGHT constants.x
#define LOAD_WEIGHT load_weight
#define FIRST_SUM load_bias(constants.y + slice)
#endif

#ifdef MULTIPLIER
vec4 load(int batch, int slice, int pixel) {
  vec4 v = vec4(0.0);
  for (int lane = 0; lane < 4; ++lane) {
    int channel = (slice * 4 + lane) / grid.x;
    if (channel >= in_t.size.z) break;
    v[lane] = load_a(in_t.place.x + (batch * in_t.place.y + channel / 4) * in_t.place.z + pixel)[channel % 4];
  }
  return v;
}
#else
vec4 load(int batch, int slice, int pixel) {
  return load_a(in_t.place.x + (batch * in_t.place.y + slice) * in_t.place.z + pixel);
}
#endif

void main() {
  int layer = GROUP_Z;
  int batch = quotient(layer, out_t.place.y), slice = layer - batch * out_t.place.y;
  int first_pixel = GROUP_X * (kKernelInvocations * PIXELS) + int(gl_LocalInvocationID.x);
  int area = out_t.place.z;
  if (first_pixel >= area) return;

  vec4 acc[PIXELS];
  ivec2 origin[PIXELS];
  for (int p = 0; p < PIXELS; ++p) {
    acc[p] = FIRST_SUM;
    int pixel = min(first_pixel + p * kKernelInvocations, area - 1);
    origin[p] = column_row(pixel, out_t.size.x) * kernel.zw - placement.zw;
  }
  int weight = FIRST_WEIGHT + slice * kernel.x * kernel.y;
  for (int ky = 0; ky < kernel.y; ++ky) {
    for (int kx = 0; kx < kernel.x; ++kx) {
      vec4 w = LOAD_WEIGHT(weight++);
      for (int p = 0; p < PIXELS; ++p) {
        ivec2 at = origin[p] + ivec2(kx, ky) * placement.xy;
        if (all(greaterThanEqual(at, ivec2(0))) && all(lessThan(at, in_t.size.xy))) {
          acc[p] += w * load(batch, slice, at.y * in_t.size.x + at.x);
        }
      }
    }
  }

  ivec4 factors = rescale;
#ifdef DYNAMIC
  factors.x = quanta_t.place.x + batch;
#endif
  Conversion conversion = load_conversion(out_t, slice, constants.z, factors);
  int row = out_t.place.x + (batch * out_t.place.y + slice) * area;
  for (int p = 0; p < PIXELS; ++p) {
    int pixel = first_pixel + p * kKernelInvocations;
#ifdef COMPUTED
    acc[p] = with_bias(slice, acc[p]);
#endif
    if (pixel < area) store(row + pixel, CONV_RESULT(out_t, batch, slice, pixel, acc[p], conversion));
  }
}
