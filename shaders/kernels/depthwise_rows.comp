// DEPTHWISE_CONV_2D with a small kernel whose outputs share inputs: an invocation computes ROWS vertically adjacent
// outputs of one slice, so each loaded input row serves up to KERNEL_H of them.
//   KERNEL_H, STRIDE_H, ROWS  the kernel height, the stride along y, the register tile
//   REQUANTIZE, DYNAMIC       conversion of the sums: lib/conv_result.glsl
// With a dilation, outputs one dilation apart share their inputs.
#define USES_A
#define WRITES_OUTPUT
#define USES_CONSTANTS
#ifdef DYNAMIC
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
  ivec4 rescale;    // for conv_result()
#ifdef DYNAMIC
  Tensor quanta_t;  // of the data, per batch
#endif
};

#define IN_ROWS ((ROWS - 1) * STRIDE_H + KERNEL_H)

void main() {
  int layer = int(gl_WorkGroupID.z);
  int batch = quotient(layer, out_t.place.y), slice = layer - batch * out_t.place.y;
  int at = INVOCATION_X;
  int group = quotient(at, out_t.size.x), x = at - group * out_t.size.x;
  int block = quotient(group, placement.y);  // of rows one dilation apart
  int first_row = block * (placement.y * ROWS) + group - block * placement.y;
  if (first_row >= out_t.size.y) return;

  vec4 acc[ROWS];
  vec4 bias = load_bias(constants.y + slice);
  for (int r = 0; r < ROWS; ++r) acc[r] = bias;

  int top = first_row * STRIDE_H - placement.w;
  int left = x * kernel.z - placement.z;
  int source = tensor_index(in_t, batch, slice, top, left);
  int pitch = placement.y * in_t.size.x;
  int weight = constants.x + slice * (KERNEL_H * kernel.x);
  for (int kx = 0; kx < kernel.x; ++kx) {
    int column = left + kx * placement.x;
    bool inside_x = column >= 0 && column < in_t.size.x;
    vec4 w[KERNEL_H];
    for (int ky = 0; ky < KERNEL_H; ++ky) w[ky] = load_weight(weight + ky * kernel.x + kx);
    for (int i = 0; i < IN_ROWS; ++i) {
      int row = top + i * placement.y;
      bool inside = inside_x && row >= 0 && row < in_t.size.y;
      vec4 v = load_a(inside ? source + kx * placement.x + i * pitch : in_t.place.x);
      v = inside ? v : vec4(0.0);
      for (int r = 0; r < ROWS; ++r) {
        int ky = i - r * STRIDE_H;
        if (ky >= 0 && ky < KERNEL_H) acc[r] += w[ky] * v;
      }
    }
  }

  ivec4 conversion = rescale;
#ifdef DYNAMIC
  conversion.x = quanta_t.place.x + batch;
#endif
  int target = out_t.place.x + (batch * out_t.place.y + slice) * out_t.place.z + x;
  for (int r = 0; r < ROWS; ++r) {
    int y = first_row + r * placement.y;
    if (y < out_t.size.y) {
      store(target + y * out_t.size.x, conv_result(out_t, slice, acc[r], constants.z, conversion));
    }
  }
}
