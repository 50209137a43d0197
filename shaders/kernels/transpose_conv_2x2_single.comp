// TRANSPOSE_CONV with strides of 2, one output channel, and an even kernel: the lanes of one sum are the 2×2 outputs that
// read the same inputs, so the activation is computed once for four outputs. Weights are those of a convolution with half
// the kernel and four channels.
#define USES_A
#define WRITES_OUTPUT
#define USES_CONSTANTS
#include "lib/tensor.glsl"
#include "lib/conv_result.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 kernel;     // half its width, half its height, blocks of 2×2 along y, 0
  ivec4 placement;  // padding left, padding top, 0, blocks of 2×2 along x
  ivec4 constants;  // positions of weights, bias and slope (in vec4), the weight offset
  ivec4 rescale;    // not used
};

void store_output(int batch, ivec2 to, float value) {
  if (any(lessThan(to, ivec2(0))) || any(greaterThanEqual(to, out_t.size.xy))) return;
  store(tensor_index(out_t, batch, 0, to.y, to.x), vec4(value, 0.0, 0.0, 0.0));
}

void main() {
  int batch = GROUP_Z, at = INVOCATION_X;
  // In outputs including padding, a block is the part that reads input `block` with its first taps.
  ivec2 block = column_row(at, placement.w) + placement.xy / 2;
  if (at >= placement.w * kernel.z) return;

  int in_slices = in_t.place.y;
  int in_base = in_t.place.x + batch * in_slices * in_t.place.z;
  int weight = constants.x;
  vec4 acc = load_bias(constants.y).xxxx;
  for (int ky = 0; ky < kernel.y; ++ky) {
    int iy = block.y - ky;
    for (int kx = 0; kx < kernel.x; ++kx) {
      int ix = block.x - kx;
      bool inside = iy >= 0 && iy < in_t.size.y && ix >= 0 && ix < in_t.size.x;
      int source = in_base + (inside ? iy * in_t.size.x + ix : 0);
      for (int s = 0; s < in_slices; ++s, weight += 4) {
        FACTOR vec4 v = inside ? load_a(source + s * in_t.place.z) : vec4(0.0);
        acc += v.x * load_weight(weight) + v.y * load_weight(weight + 1) + v.z * load_weight(weight + 2) +
               v.w * load_weight(weight + 3);
      }
    }
  }

  Tensor lanes = out_t;
  lanes.size.z = 4;  // all of them are results
  vec4 results = finish(lanes, 0, acc, load_slope(0, constants.z).xxxx);
  ivec2 to = 2 * block - placement.xy;
  store_output(batch, to, results.x);
  store_output(batch, to + ivec2(1, 0), results.y);
  store_output(batch, to + ivec2(0, 1), results.z);
  store_output(batch, to + ivec2(1, 1), results.w);
}
