// BATCH_MATMUL of 16-bit integers, with sums of 64 bits: columns are channels, rows are the pixels of a line. An
// invocation computes one row of one slice. The matrices of either operand may be stored transposed.
#define USES_A
#define USES_B
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/requantize.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor x_t;
  Tensor y_t;
  Tensor out_t;
  ivec4 steps_x_y;  // batch broadcasting steps (lib/broadcast.glsl): of x, of y
  ivec4 steps;      // z: inner size
  ivec4 code;       // whether x is transposed, whether y is; 0; number of summed products
  ivec4 factor;     // multiplier, right shift
};

int batch_of(ivec2 moves, int batch) { return batch / steps.z * moves.x + batch % steps.z * moves.y; }

// Four elements of a row of x from column `k`.
ivec4 elements_of_x(int base, int row, int k) {
  if (code.x == 0) return ivec4(load_a(base + k / 4 * x_t.place.z + row));
  ivec4 v = ivec4(0);
  for (int i = 0; i < 4; ++i) {
    if (k + i < code.w) v[i] = int(load_a(base + row / 4 * x_t.place.z + k + i)[row % 4]);
  }
  return v;
}

// Row `k` of a slice of y.
ivec4 row_of_y(int base, int slice, int k) {
  if (code.y == 0) return ivec4(load_b(base + slice * y_t.place.z + k));
  ivec4 v = ivec4(0);
  for (int i = 0; i < 4; ++i) {
    if (slice * 4 + i < y_t.size.x) v[i] = int(load_b(base + k / 4 * y_t.place.z + slice * 4 + i)[k % 4]);
  }
  return v;
}

void main() {
  int item = INVOCATION_X;
  if (item >= out_t.place.z) return;
  ivec2 place = column_row(item, out_t.size.x);
  int batch = GROUP_Z / out_t.place.y, slice = GROUP_Z % out_t.place.y;
  int x_base = tensor_index(x_t, batch_of(steps_x_y.xy, batch), 0, min(place.y, x_t.size.y - 1), 0);
  int y_base = tensor_index(y_t, batch_of(steps_x_y.zw, batch), 0, min(place.y, y_t.size.y - 1), 0);
  ivec4 high = ivec4(0);
  uvec4 low = uvec4(0);
  for (int k = 0; k < code.w; k += 4) {
    ivec4 x = elements_of_x(x_base, place.x, k);
    for (int i = 0; i < 4; ++i) {
      if (k + i >= code.w) break;
      ivec4 product = x[i] * row_of_y(y_base, slice, k + i);
      uvec4 before = low;
      low += uvec4(product);
      high += (product >> 31) + ivec4(lessThan(low, before));
    }
  }
  ivec4 result = multiply_wide(high, low, factor.x, factor.y);
  store(tensor_index(out_t, batch, slice, place.y, place.x),
        clamp_quanta(out_t, slice, result, ivec4(-32768, 32767, 0, 0)));
}
