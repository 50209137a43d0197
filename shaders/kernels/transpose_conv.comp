// TRANSPOSE_CONV in gather form: an output pixel visits only the taps whose stride phase reaches an input pixel. An
// invocation computes one pixel of SLICES output slices.
#define USES_A
#define WRITES_OUTPUT
#define USES_CONSTANTS
#include "lib/tensor.glsl"
#include "lib/conv_result.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 kernel;     // width, height, stride x, stride y
  ivec4 placement;  // padding left, padding top, slice groups of one batch, 0
  ivec4 constants;  // positions of weights, bias and slope (in vec4), the weight offset
  ivec4 rescale;    // for load_conversion()
};

void main() {
  int group = GROUP_Z;
  int batch = quotient(group, placement.z), first_slice = (group - batch * placement.z) * SLICES;
  int pixel = INVOCATION_X;
  int area = out_t.place.z;
  if (pixel >= area) return;

  int in_slices = in_t.place.y;
  int weights_per_slice = kernel.x * kernel.y * in_slices * 4;
  int in_base = in_t.place.x + batch * in_slices * in_t.place.z;
  int weight[SLICES];
  vec4 acc[SLICES];
  for (int o = 0; o < SLICES; ++o) {
    int slice = min(first_slice + o, out_t.place.y - 1);
    weight[o] = constants.x + slice * weights_per_slice;
    acc[o] = load_bias(constants.y + slice);
  }

  ivec2 at = column_row(pixel, out_t.size.x) + placement.xy;
  for (int ky = at.y % kernel.w; ky < kernel.y; ky += kernel.w) {
    int iy = (at.y - ky) / kernel.w;
    if (at.y < ky || iy >= in_t.size.y) continue;
    for (int kx = at.x % kernel.z; kx < kernel.x; kx += kernel.z) {
      int ix = (at.x - kx) / kernel.z;
      if (at.x < kx || ix >= in_t.size.x) continue;
      int source = in_base + iy * in_t.size.x + ix;
      int tap = (ky * kernel.x + kx) * in_slices * 4;
      for (int s = 0; s < in_slices; ++s) {
        FACTOR vec4 v = load_a(source + s * in_t.place.z);
        for (int o = 0; o < SLICES; ++o) {
          int w = weight[o] + tap + s * 4;
          acc[o] += v.x * load_weight(w) + v.y * load_weight(w + 1) + v.z * load_weight(w + 2) + v.w * load_weight(w + 3);
        }
      }
    }
  }

  for (int o = 0; o < SLICES; ++o) {
    int slice = first_slice + o;
    if (slice >= out_t.place.y) break;
    Conversion conversion = load_conversion(out_t, slice, constants.z, rescale);
    store(out_t.place.x + (batch * out_t.place.y + slice) * area + pixel, conv_result(out_t, slice, acc[o], conversion));
  }
}
