// DEPTHWISE_CONV_2D and the 1×1 CONV_2D that reads it. The intermediate result stays in registers. An invocation computes
// ROWS vertically adjacent outputs, as in depthwise_rows.comp, for SLICES output slices, one slice of the data after the
// other. If the output has more slices, each group of them computes the intermediate result again.
//   KERNEL, STRIDE_H  the height and width of the depthwise kernel, and the stride along y
//   ROWS, SLICES      the register tile
//   LOCAL_X           invocations of the work group
//   SPREAD            the four sums are 2×2 pixels of an output of one channel
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

layout(local_size_x = LOCAL_X) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 stride;     // stride x, 1 to clamp the intermediate result, the width of the depthwise kernel, 0
  ivec4 placement;  // dilation x, dilation y, padding left, padding top
  ivec4 constants;  // positions of weights, bias and slope (in vec4), 0
  ivec4 made_by;    // positions of the depthwise weights and bias (in vec4), slice groups of one batch, 0
  vec4 range;       // range of the depthwise results, if clamped: lowest, highest, 0, 0
  ivec4 rescale;    // for load_conversion()
  RESIDUAL_PARAMS
#ifdef ADDEND
  Tensor addend_t;
#endif
};

// Compilers unroll a loop of a known number of columns: too much code for large kernels.
#if KERNEL == 3
#define COLUMNS 3
#else
#define COLUMNS stride.z
#endif
#define IN_ROWS ((ROWS - 1) * STRIDE_H + KERNEL)

#ifdef SPREAD
// The image of the sums.
#define SUMS_SIZE (out_t.size.xy / 2)

void finish_sums(int batch, int slice, ivec2 at, vec4 sums, Conversion conversion) {
  Tensor lanes = out_t;
  lanes.size.z = 4;  // all of them are results
  vec4 results = conv_result(lanes, 0, sums, conversion);
  for (int i = 0; i < 4; ++i) {
    store(tensor_index(out_t, batch, 0, 2 * at.y + i / 2, 2 * at.x + i % 2), vec4(results[i], 0.0, 0.0, 0.0));
  }
}
#else
#define SUMS_SIZE out_t.size.xy

void finish_sums(int batch, int slice, ivec2 at, vec4 sums, Conversion conversion) {
  int layer = batch * out_t.place.y + slice, pixel = at.y * out_t.size.x + at.x;
  store(out_t.place.x + layer * out_t.place.z + pixel, CONV_RESULT(out_t, batch, slice, pixel, sums, conversion));
}
#endif

void main() {
  int batch = quotient(GROUP_Z, made_by.z), first_slice = (GROUP_Z - batch * made_by.z) * SLICES;
  int at = INVOCATION_X;
  ivec2 size = SUMS_SIZE;
  int group = quotient(at, size.x), x = at - group * size.x;
  int block = quotient(group, placement.y);  // of rows one dilation apart
  int first_row = block * (placement.y * ROWS) + group - block * placement.y;
  if (first_row >= size.y) return;

  int in_slices = in_t.place.y;
  vec4 acc[ROWS * SLICES];
  int slices[SLICES];  // those past the end compute the last one again, and are not stored
  for (int o = 0; o < SLICES; ++o) {
    slices[o] = min(first_slice + o, out_t.place.y - 1);
    vec4 bias = load_bias(constants.y + slices[o]);
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
    for (int kx = 0; kx < COLUMNS; ++kx) {
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
    int addend = addend_t.place.x + (batch * in_slices + s) * addend_t.place.z + x;
    for (int r = 0; r < ROWS; ++r) {
      made[r] += load_b(addend + min(first_row + r * placement.y, size.y - 1) * size.x);
    }
#endif
    FACTOR vec4 data[ROWS];
    for (int r = 0; r < ROWS; ++r) data[r] = made[r];
    for (int o = 0; o < SLICES; ++o) {
      int w = constants.x + (slices[o] * in_slices + s) * 4;
      FACTOR vec4 w0 = load_weight(w), w1 = load_weight(w + 1), w2 = load_weight(w + 2), w3 = load_weight(w + 3);
      for (int r = 0; r < ROWS; ++r) {
        acc[r * SLICES + o] += data[r].x * w0 + data[r].y * w1 + data[r].z * w2 + data[r].w * w3;
      }
    }
  }

#if ROWS == 4
  // One copy of this code for all rows, as in conv2d.comp.
  Conversion conversions[SLICES];
  for (int o = 0; o < SLICES; ++o) conversions[o] = load_conversion(out_t, slices[o], constants.z, rescale);
  int end = min(size.y, first_row + ROWS * placement.y);
  for (int y = first_row; y < end; y += placement.y) {
    for (int o = 0; o < SLICES; ++o) {
      if (first_slice + o < out_t.place.y) finish_sums(batch, slices[o], ivec2(x, y), acc[o], conversions[o]);
    }
    for (int i = SLICES; i < ROWS * SLICES; ++i) acc[i - SLICES] = acc[i];
  }
#else
  for (int o = 0; o < SLICES; ++o) {
    if (first_slice + o >= out_t.place.y) continue;
    Conversion conversion = load_conversion(out_t, slices[o], constants.z, rescale);
    for (int r = 0; r < ROWS; ++r) {
      int y = first_row + r * placement.y;
      if (y < size.y) finish_sums(batch, slices[o], ivec2(x, y), acc[r * SLICES + o], conversion);
    }
  }
#endif
}
