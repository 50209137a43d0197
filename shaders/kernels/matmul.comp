// BATCH_MATMUL, and FULLY_CONNECTED with computed weights: columns are channels, rows are the pixels of a line. An
// invocation computes four rows of one slice. The matrices of either operand may be stored transposed. BIAS: a bias and
// slopes, per column.
#define USES_A
#define USES_B
#define WRITES_OUTPUT
#ifdef BIAS
#define USES_CONSTANTS
#endif
#include "lib/tensor.glsl"
#include "lib/activation.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor x_t;
  Tensor y_t;
  Tensor out_t;
  ivec4 steps_x_y;  // batch broadcasting steps (lib/broadcast.glsl): of x, of y
  ivec4 steps;      // z: inner size
  ivec4 code;       // whether x is transposed, whether y is; 0; number of summed products
  ivec4 constants;  // positions of bias and slopes
};

// Four rows from `row` of one slice of a matrix; zeros past the last one.
mat4 rows_of_x(int base, int row) {
  mat4 m = mat4(0.0);
  for (int i = 0; i < 4; ++i) {
    if (row + i < x_t.size.x) m[i] = load_a(base + row + i);
  }
  return m;
}

mat4 rows_of_y(int base, int row) {
  mat4 m = mat4(0.0);
  for (int i = 0; i < 4; ++i) {
    if (row + i < y_t.size.x) m[i] = load_b(base + row + i);
  }
  return m;
}

int batch_of(ivec2 moves, int batch) { return batch / steps.z * moves.x + batch % steps.z * moves.y; }

void main() {
  int blocks = (out_t.size.x + 3) / 4;
  int item = INVOCATION_X;
  if (item >= blocks * out_t.size.y) return;
  int row = item % blocks * 4, line = item / blocks;
  int batch = GROUP_Z / out_t.place.y, slice = GROUP_Z % out_t.place.y;
  int x_base = tensor_index(x_t, batch_of(steps_x_y.xy, batch), 0, min(line, x_t.size.y - 1), 0);
  int y_base = tensor_index(y_t, batch_of(steps_x_y.zw, batch), 0, min(line, y_t.size.y - 1), 0);

  mat4 sums = mat4(0.0);  // each column is a row of the result
  for (int k = 0; k < code.w; k += 4) {
    mat4 x = code.x == 1 ? transpose(rows_of_x(x_base + row / 4 * x_t.place.z, k))
                         : rows_of_x(x_base + k / 4 * x_t.place.z, row);
    mat4 y = code.y == 1 ? transpose(rows_of_y(y_base + k / 4 * y_t.place.z, slice * 4))
                         : rows_of_y(y_base + slice * y_t.place.z, k);
    sums += y * x;
  }
  vec4 bias = vec4(0.0), slope = vec4(0.0);
#ifdef BIAS
  bias = load_bias(constants.x + slice);
  slope = load_bias(constants.y + slice);
#endif
  int to = tensor_index(out_t, batch, slice, line, row);
  for (int i = 0; i < 4; ++i) {
    if (row + i >= out_t.size.x) return;
    store(to + i, finish(out_t, slice, sums[i] * (x_t.quant.x * y_t.quant.x) + bias, slope));
  }
}
