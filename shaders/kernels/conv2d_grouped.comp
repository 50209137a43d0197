// CONV_2D with channel groups, or with computed weights. An invocation computes one pixel of one output slice.
//   COMPUTED             the weights are the second input, a tensor: lib/computed_weights.glsl
//   REQUANTIZE, DYNAMIC  conversion of the sums: lib/conv_result.glsl
#define USES_A
#define WRITES_OUTPUT
#define USES_CONSTANTS
#if defined(DYNAMIC) || defined(COMPUTED)
#define USES_B
#endif
#include "lib/tensor.glsl"
#include "lib/conv_result.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 kernel;     // width, height, stride x, stride y
  ivec4 placement;  // dilation x, dilation y, padding left, padding top
  ivec4 constants;  // positions of weights, bias and slope (in vec4), the weight offset
  ivec4 groups;     // input and output channels of a group, slices of a filter, 0
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
};
#ifdef COMPUTED
#include "lib/computed_weights.glsl"
#endif

// Four channels of a pixel from any channel; zeros past the last one.
vec4 load_channels(int row, int first) {
  int slice = first / 4, shift = first % 4;
  vec4 v = load_a(row + slice * in_t.place.z);
  if (shift == 0) return v;
  vec4 next = slice + 1 < in_t.place.y ? load_a(row + (slice + 1) * in_t.place.z) : vec4(0.0);
  return shift == 1 ? vec4(v.yzw, next.x) : shift == 2 ? vec4(v.zw, next.xy) : vec4(v.w, next.xyz);
}

// Four input channels of filter `o`.
vec4 filter_channels(int o, int tap, int s) {
  int taps = kernel.x * kernel.y;
#ifdef COMPUTED
  return load_b(weights_t.place.x + (o * groups.z + s) * taps + tap);
#else
  return load_weight(constants.x + (o * groups.z + s) * taps + tap);
#endif
}

void main() {
  int batch = GROUP_Z / out_t.place.y;
  int slice = GROUP_Z % out_t.place.y;
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;

  int in_base = in_t.place.x + batch * in_t.place.y * in_t.place.z;
  ivec2 origin = column_row(pixel, out_t.size.x) * kernel.zw - placement.zw;
  int lanes = min(4, out_t.size.z - slice * 4);
#ifdef COMPUTED
  vec4 acc = vec4(0.0);
#else
  vec4 acc = load_bias(constants.y + slice);
#endif
  for (int ky = 0; ky < kernel.y; ++ky) {
    for (int kx = 0; kx < kernel.x; ++kx) {
      ivec2 at = origin + ivec2(kx, ky) * placement.xy;
      if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, in_t.size.xy))) continue;
      int row = in_base + at.y * in_t.size.x + at.x;
      for (int s = 0; s < groups.z; ++s) {
        // A group may end within four channels; the rest belong to the next group.
        bvec4 own = lessThan(ivec4(s * 4) + ivec4(0, 1, 2, 3), ivec4(groups.x));
        int loaded = -1;
        vec4 v = vec4(0.0);
        for (int lane = 0; lane < lanes; ++lane) {
          int o = slice * 4 + lane, group = o / groups.y;
          if (group != loaded) v = mix(vec4(0.0), load_channels(row, group * groups.x + s * 4), own);
          loaded = group;
          acc[lane] += dot(v, filter_channels(o, ky * kernel.x + kx, s));
        }
      }
    }
  }
#ifdef COMPUTED
  acc = with_bias(slice, acc);
#endif

  ivec4 factors = rescale;
#ifdef DYNAMIC
  factors.x = quanta_t.place.x + batch;
#endif
  int to = out_t.place.x + (batch * out_t.place.y + slice) * out_t.place.z + pixel;
  store(to, conv_result(out_t, slice, acc, load_conversion(out_t, slice, constants.z, factors)));
}
