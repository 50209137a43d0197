// DEPTHWISE_CONV_2D with a 3×3 kernel and the 1×1 CONV_2D that reads it. The intermediate result stays in registers. An
// invocation computes ROWS vertically adjacent outputs, as in depthwise_rows.comp, for all output slices, one slice of
// the data after the other.
//   STRIDE_H, ROWS, SLICES  the stride along y; the register tile, whose slices are those of the output
//   RESIDUAL                adds the second input: lib/residual.glsl
//   ADDEND                  adds the second input to the intermediate result, whose shape it has
#define USES_A
#define WRITES_OUTPUT
#define USES_CONSTANTS
#if defined(RESIDUAL) || defined(ADDEND)
#define USES_B
#endif
#include "lib/tensor.glsl"
#include "lib/conv_result.glsl"
#include "lib/residual.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 stride;     // stride x, 1 to clamp the intermediate result, 0, 0
  ivec4 placement;  // dilation x, dilation y, padding left, padding top
  ivec4 constants;  // positions of weights, bias and slope (in vec4), 0
  ivec4 made_by;    // positions of the depthwise weights and bias (in vec4), 0, 0
  vec4 range;       // range of the depthwise results, if clamped: lowest, highest, 0, 0
  ivec4 rescale;    // for load_conversion()
#ifdef RESIDUAL
  Tensor residual_t;
#endif
#ifdef ADDEND
  Tensor addend_t;
#endif
};

#define KERNEL 3
#define IN_ROWS ((ROWS - 1) * STRIDE_H + KERNEL)

void finish_sums(int batch, int slice, int pixel, vec4 sums, Conversion conversion) {
  int layer = batch * out_t.place.y + slice;
  store(out_t.place.x + layer * out_t.place.z + pixel, CONV_RESULT(out_t, batch, slice, pixel, sums, conversion));
}

void main() {
  int batch = GROUP_Z;
  int at = INVOCATION_X;
  int group = quotient(at, out_t.size.x), x = at - group * out_t.size.x;
  int block = quotient(group, placement.y);  // of rows one dilation apart
  int first_row = block * (placement.y * ROWS) + group - block * placement.y;
  if (first_row >= out_t.size.y) return;

  int in_slices = in_t.place.y;
  vec4 acc[ROWS * SLICES];
  for (int o = 0; o < SLICES; ++o) {
    vec4 bias = load_bias(constants.y + o);
    for (int r = 0; r < ROWS; ++r) acc[r * SLICES + o] = bias;
  }

  int top = first_row * STRIDE_H - placement.w;
  int left = x * stride.x - placement.z;
  int pitch = placement.y * in_t.size.x;
  for (int s = 0; s < in_slices; ++s) {
    vec4 made[ROWS];
    vec4 bias = load_bias(made_by.y + s);
    for (int r = 0; r < ROWS; ++r) made[r] = bias;
    int source = tensor_index(in_t, batch, s, top, left);
    int tap = made_by.x + s * (KERNEL * KERNEL);
    for (int kx = 0; kx < KERNEL; ++kx) {
      int column = left + kx * placement.x;
      bool inside_x = column >= 0 && column < in_t.size.x;
      FACTOR vec4 w[KERNEL];
      for (int ky = 0; ky < KERNEL; ++ky) w[ky] = load_weight(tap + ky * KERNEL + kx);
      for (int i = 0; i < IN_ROWS; ++i) {
        int row = top + i * placement.y;
        bool inside = inside_x && row >= 0 && row < in_t.size.y;
        FACTOR vec4 v = load_a(inside ? source + kx * placement.x + i * pitch : in_t.place.x);
        v = inside ? v : vec4(0.0);
        for (int r = 0; r < ROWS; ++r) {
          int ky = i - r * STRIDE_H;
          if (ky >= 0 && ky < KERNEL) made[r] += w[ky] * v;
        }
      }
    }
    if (stride.y != 0) {
      for (int r = 0; r < ROWS; ++r) made[r] = clamp(made[r], range.x, range.y);
    }
#ifdef ADDEND
    int addend = addend_t.place.x + (batch * in_slices + s) * out_t.place.z;
    for (int r = 0; r < ROWS; ++r) {
      made[r] += load_b(addend + min(first_row + r * placement.y, out_t.size.y - 1) * out_t.size.x + x);
    }
#endif
    FACTOR vec4 data[ROWS];
    for (int r = 0; r < ROWS; ++r) data[r] = made[r];
    for (int o = 0; o < SLICES; ++o) {
      int w = constants.x + (o * in_slices + s) * 4;
      FACTOR vec4 w0 = load_weight(w), w1 = load_weight(w + 1), w2 = load_weight(w + 2), w3 = load_weight(w + 3);
      for (int r = 0; r < ROWS; ++r) {
        acc[r * SLICES + o] += data[r].x * w0 + data[r].y * w1 + data[r].z * w2 + data[r].w * w3;
      }
    }
  }

#if ROWS == 4
  // One copy of this code for all rows, as in conv2d.comp.
  Conversion conversions[SLICES];
  for (int o = 0; o < SLICES; ++o) conversions[o] = load_conversion(out_t, o, constants.z, rescale);
  int end = min(out_t.size.y, first_row + ROWS * placement.y);
  for (int y = first_row; y < end; y += placement.y) {
    for (int o = 0; o < SLICES; ++o) finish_sums(batch, o, y * out_t.size.x + x, acc[o], conversions[o]);
    for (int i = SLICES; i < ROWS * SLICES; ++i) acc[i - SLICES] = acc[i];
  }
#else
  for (int o = 0; o < SLICES; ++o) {
    Conversion conversion = load_conversion(out_t, o, constants.z, rescale);
    for (int r = 0; r < ROWS; ++r) {
      int y = first_row + r * placement.y;
      if (y < out_t.size.y) finish_sums(batch, o, y * out_t.size.x + x, acc[r * SLICES + o], conversion);
    }
  }
#endif
}
