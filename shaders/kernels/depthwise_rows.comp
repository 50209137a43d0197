// DEPTHWISE_CONV_2D with a small kernel whose outputs share inputs: an invocation computes ROWS by COLUMNS adjacent
// outputs of one slice, so each loaded input serves several of them.
//   KERNEL, STRIDE_H     height and width of the kernel, the stride along y
//   ROWS, COLUMNS        the register tile; more than one column needs equal strides, without dilation unless they are 1
//   REQUANTIZE, DYNAMIC  conversion of the sums: lib/conv_result.glsl
//   RESIDUAL             adds the second input: lib/residual.glsl
// With a dilation, outputs one dilation apart share their inputs.
#define USES_A
#define WRITES_OUTPUT
#define USES_CONSTANTS
#if defined(DYNAMIC) || defined(RESIDUAL)
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
  ivec4 rescale;    // for load_conversion()
#ifdef DYNAMIC
  Tensor quanta_t;  // of the data, per batch
#endif
  RESIDUAL_PARAMS
};

#define IN_ROWS ((ROWS - 1) * STRIDE_H + KERNEL)
#define IN_COLUMNS ((COLUMNS - 1) * STRIDE_H + KERNEL)

// A column of the input, from the position `source` and the row `top` on.
void load_column(out vec4 v[IN_ROWS], int source, bool inside_x, int top) {
  for (int i = 0; i < IN_ROWS; ++i) {
    int row = top + i * placement.y;
    bool inside = inside_x && row >= 0 && row < in_t.size.y;
    v[i] = load_a(inside ? source + i * placement.y * in_t.size.x : in_t.place.x);
    v[i] = inside ? v[i] : vec4(0.0);
  }
}

void main() {
  int layer = GROUP_Z;
  int batch = quotient(layer, out_t.place.y), slice = layer - batch * out_t.place.y;
  int at = INVOCATION_X;
#if COLUMNS == 1
  int group = quotient(at, out_t.size.x), x = at - group * out_t.size.x;
#else
  int block_columns = placement.x * COLUMNS;
  int across = quotient(out_t.size.x + block_columns - 1, block_columns) * placement.x;
  int group = quotient(at, across), x = at - group * across;
  x += quotient(x, placement.x) * (block_columns - placement.x);
#endif
  int block = quotient(group, placement.y);  // of rows one dilation apart
  int first_row = block * (placement.y * ROWS) + group - block * placement.y;
  if (first_row >= out_t.size.y) return;

  vec4 acc[COLUMNS * ROWS];
  vec4 bias = load_bias(constants.y + slice);
  for (int i = 0; i < COLUMNS * ROWS; ++i) acc[i] = bias;

  int top = first_row * STRIDE_H - placement.w;
  int left = x * kernel.z - placement.z;
  int source = tensor_index(in_t, batch, slice, top, left);
  int weight = constants.x + slice * (KERNEL * KERNEL);
  // Compilers unroll loops whose length is that of the array that they index. Otherwise, sums may be in memory.
#if COLUMNS == 1
#if KERNEL == 3
  for (int kx = 0; kx < KERNEL; ++kx) {
#else
  for (int kx = 0; kx < kernel.x; ++kx) {  // unrolled, it spills registers of AMD GPUs
#endif
    int column = left + kx * placement.x;
    vec4 w[KERNEL], v[IN_ROWS];
    for (int ky = 0; ky < KERNEL; ++ky) w[ky] = load_weight(weight + ky * KERNEL + kx);
    load_column(v, source + kx * placement.x, column >= 0 && column < in_t.size.x, top);
    for (int r = 0; r < ROWS; ++r) {
      for (int ky = 0; ky < KERNEL; ++ky) acc[r] += w[ky] * v[r * STRIDE_H + ky];
    }
  }
#else
  vec4 w[KERNEL][KERNEL];  // by column
  for (int kx = 0; kx < KERNEL; ++kx) {
    for (int ky = 0; ky < KERNEL; ++ky) w[kx][ky] = load_weight(weight + ky * KERNEL + kx);
  }
  int columns[IN_COLUMNS];
  for (int i = 0; i < IN_COLUMNS; ++i) columns[i] = left + i * placement.x;
  for (int i = 0; i < IN_COLUMNS; ++i) {
    vec4 v[IN_ROWS];
    load_column(v, source + i * placement.x, columns[i] >= 0 && columns[i] < in_t.size.x, top);
    for (int a = 0; a < COLUMNS * ROWS; ++a) {
      int kx = i - a / ROWS * STRIDE_H;
      if (kx >= 0 && kx < KERNEL) {
        for (int ky = 0; ky < KERNEL; ++ky) acc[a] += w[kx][ky] * v[a % ROWS * STRIDE_H + ky];
      }
    }
  }
#endif

  ivec4 factors = rescale;
#ifdef DYNAMIC
  factors.x = quanta_t.place.x + batch;
#endif
  Conversion conversion = load_conversion(out_t, slice, constants.z, factors);
  int target = out_t.place.x + (batch * out_t.place.y + slice) * out_t.place.z;
#if COLUMNS > 1
  // One copy of this code for all rows, as in conv2d.comp.
  int end = min(out_t.size.y, first_row + ROWS * placement.y);
  for (int y = first_row; y < end; y += placement.y) {
    for (int c = 0; c < COLUMNS; ++c) {
      if (x + c * placement.x < out_t.size.x) {
        int pixel = y * out_t.size.x + x + c * placement.x;
        store(target + pixel, CONV_RESULT(out_t, batch, slice, pixel, acc[c * ROWS], conversion));
      }
    }
    for (int i = 1; i < COLUMNS * ROWS; ++i) acc[i - 1] = acc[i];
  }
#else
  for (int r = 0; r < ROWS; ++r) {
    int y = first_row + r * placement.y;
    int pixel = y * out_t.size.x + x;
    if (y < out_t.size.y) store(target + pixel, CONV_RESULT(out_t, batch, slice, pixel, acc[r], conversion));
  }
#endif
}
