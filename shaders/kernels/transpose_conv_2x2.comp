// TRANSPOSE_CONV with strides of 2: an invocation computes the 2×2 outputs of SLICES slices that read the same inputs,
// so each loaded input serves four outputs.
//   REQUANTIZE  conversion of the sums: lib/conv_result.glsl
#define USES_A
#define WRITES_OUTPUT
#define USES_CONSTANTS
#include "lib/tensor.glsl"
#include "lib/conv_result.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 kernel;     // width, height, blocks of 2×2 along y, 0
  ivec4 placement;  // padding left, padding top, slice groups of one batch, blocks of 2×2 along x
  ivec4 constants;  // positions of weights, bias and slope (in vec4), the weight offset
  ivec4 rescale;    // for load_conversion()
};

void main() {
  int group = GROUP_Z;
  int batch = quotient(group, placement.z), first_slice = (group - batch * placement.z) * SLICES;
  int at = INVOCATION_X;
  // In outputs including padding, a block is the part that reads input `block` with its first taps.
  ivec2 block = column_row(at, placement.w) + placement.xy / 2;
  if (at >= placement.w * kernel.z) return;

  int in_slices = in_t.place.y;
  int weights_per_slice = kernel.x * kernel.y * in_slices * 4;
  int in_base = in_t.place.x + batch * in_slices * in_t.place.z;
  int weight[SLICES];
  vec4 acc[4 * SLICES];  // by row and column of the block, then by slice
  for (int o = 0; o < SLICES; ++o) {
    weight[o] = constants.x + (first_slice + o) * weights_per_slice;
    vec4 bias = load_bias(constants.y + first_slice + o);
    for (int phase = 0; phase < 4; ++phase) acc[phase * SLICES + o] = bias;
  }

  for (int ky = 0; ky < kernel.y; ky += 2) {
    int iy = block.y - ky / 2;
    for (int kx = 0; kx < kernel.x; kx += 2) {
      int ix = block.x - kx / 2;
      bool inside = iy >= 0 && iy < in_t.size.y && ix >= 0 && ix < in_t.size.x;
      int source = in_base + (inside ? iy * in_t.size.x + ix : 0);
      for (int s = 0; s < in_slices; ++s) {
        FACTOR vec4 v = inside ? load_a(source + s * in_t.place.z) : vec4(0.0);
        for (int phase = 0; phase < 4; ++phase) {
          ivec2 tap = ivec2(kx + phase % 2, ky + phase / 2);
          if (tap.x >= kernel.x || tap.y >= kernel.y) continue;
          int place = ((tap.y * kernel.x + tap.x) * in_slices + s) * 4;
          for (int o = 0; o < SLICES; ++o) {
            int w = weight[o] + place;
            acc[phase * SLICES + o] +=
                v.x * load_weight(w) + v.y * load_weight(w + 1) + v.z * load_weight(w + 2) + v.w * load_weight(w + 3);
          }
        }
      }
    }
  }

  for (int o = 0; o < SLICES; ++o) {
    int slice = first_slice + o;
    Conversion conversion = load_conversion(out_t, slice, constants.z, rescale);
    for (int phase = 0; phase < 4; ++phase) {
      ivec2 to = 2 * block + column_row(phase, 2) - placement.xy;
      if (any(lessThan(to, ivec2(0))) || any(greaterThanEqual(to, out_t.size.xy))) continue;
      store(tensor_index(out_t, batch, slice, to.y, to.x),
            conv_result(out_t, slice, acc[phase * SLICES + o], conversion));
    }
  }
}
