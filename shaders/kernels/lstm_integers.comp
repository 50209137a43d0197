// Time steps of an integer LSTM with the arithmetic of graph/lstm.h: one work group per batch, as in
// lstm.comp.
//   SLICES       maximum slices of cells or outputs
//   PROJECTION   the outputs are a matrix times the outputs of the cells
#define USES_A
#define USES_B
#define WRITES_OUTPUT
#define USES_CONSTANTS
#include "lib/tensor.glsl"
#include "lib/requantize.glsl"
#include "lib/fixed_functions.glsl"

#define LANES kKernelInvocations
// Maximum slices whose products 32-bit floats sum exactly: 512 channels of up to 255 * 128 stay below 2^24.
#define EXACT_SLICES 128
layout(local_size_x = LANES) in;

// A factor is a multiplier and a shift. Cells and gate sums are stored in 32 bits, whatever the storage of the others.
layout(std140, binding = kParamsBlock) uniform Params {
  Tensor gates_t;  // contribution of the data; four groups of slices: input, forget, cell, output gate
  Tensor hidden_t;
  Tensor cell_t;
  Tensor out_t;
  Tensor next_hidden_t;
  Tensor next_cell_t;
  ivec4 steps;     // first, count, pixels from one time step to the next, from one batch to the next
  ivec4 matrices;  // recurrent weights, projection (in elements of their storage); bits of cells; 1: coupled input gate
  ivec4 vectors;   // peephole weights, bias of the projection (in vec4); 1: has peepholes; output offset
  ivec4 recurrent_multipliers;  // by gate
  ivec4 recurrent_shifts;
  ivec4 peephole_multipliers;  // by gate
  ivec4 peephole_shifts;
  ivec4 made;         // factor of the outputs of the cells, lowest and highest
  ivec4 projected;    // factor of the projection, lowest and highest output
  ivec4 cell_range;   // lowest and highest
};

shared vec4 operands[2 * SLICES];  // of the matrices: the hidden state, the outputs of the cells
shared ivec4 cells[SLICES];

int lane = 0;  // of this invocation, from main() on

ivec4 int16(ivec4 v) { return clamp(v, -32768, 32767); }

ivec4 scaled(ivec4 v, int multiplier, int shift) { return multiply_fixed(v, ivec4(multiplier), ivec4(shift)); }

// v / 2^exponent, halves away from zero.
ivec4 divided(ivec4 v, int exponent) { return sign(v) * ((abs(v) + (1 << (exponent - 1))) >> exponent); }

// The matrix at `weights` (four vec4 per each of `count` slices) times the operands from `first`.
ivec4 product(int weights, int first, int count) {
  ivec4 total = ivec4(0);
  for (int begin = 0; begin < count; begin += EXACT_SLICES) {
    vec4 sum = vec4(0.0);
    for (int k = begin; k < min(begin + EXACT_SLICES, count); ++k) {
      vec4 v = operands[first + k];
      int w = weights + 4 * k;
      sum += v.x * load_weight(w) + v.y * load_weight(w + 1) + v.z * load_weight(w + 2) + v.w * load_weight(w + 3);
    }
    total += ivec4(sum);
  }
  return total;
}

ivec4 with_peephole(ivec4 sum, int which, int gate, int s) {
  if (vectors.z == 0) return sum;
  ivec4 v = ivec4(load_bias(vectors.x + which * cell_t.place.y + s)) * cells[s];
  return int16(sum + scaled(v, peephole_multipliers[gate], peephole_shifts[gate]));
}

// The outputs of the cells of slice `s`, from the gate sums without peepholes. Advances the cells.
ivec4 advance(int s, ivec4 sums[4]) {
  ivec4 keep = fixed_logistic(with_peephole(sums[1], 1, 1, s));
  ivec4 take = matrices.w != 0 ? FIXED_ONE - keep : fixed_logistic(with_peephole(sums[0], 0, 0, s));
  ivec4 added = divided(take * fixed_tanh(sums[2], 3), 15 + matrices.z);
  ivec4 c = clamp(int16(divided(keep * cells[s], 15) + added), cell_range.x, cell_range.y);
  cells[s] = mask_lanes(cell_t, s, c);
  ivec4 shown = fixed_logistic(with_peephole(sums[3], 2, 3, s));
  ivec4 m = scaled(shown * fixed_tanh(cells[s], matrices.z), made.x, made.y);
  return mask_lanes(cell_t, s, clamp(m, made.z, made.w));
}

void store_cells(int i, vec4 v) {
#ifdef OUT_F16
  out_data[2 * i] = floatBitsToUint(v.xy);
  out_data[2 * i + 1] = floatBitsToUint(v.zw);
#else
  store(i, v);
#endif
}

void main() {
  lane = int(gl_LocalInvocationID.x);
  int batch = GROUP_Z;
  int cell_slices = cell_t.place.y, out_slices = hidden_t.place.y;
  for (int s = lane; s < out_slices; s += LANES) {
    operands[s] = load_b(hidden_t.place.x + s * hidden_t.place.z + batch);
  }
  for (int s = lane; s < cell_slices; s += LANES) {
    cells[s] = ivec4(load_a(cell_t.place.x + s * cell_t.place.z + batch));
  }
  barrier();

  for (int t = steps.x; t < steps.x + steps.y; ++t) {
    int pixel = t * steps.z + batch * steps.w;
    for (int s = lane; s < cell_slices; s += LANES) {
      ivec4 sums[4];
      for (int g = 0; g < 4; ++g) {
        int run = g * cell_slices + s;
        ivec4 v = product(matrices.x + run * out_slices * 4, 0, out_slices);
        v = scaled(v, recurrent_multipliers[g], recurrent_shifts[g]);
        sums[g] = int16(ivec4(load_a(gates_t.place.x + run * gates_t.place.z + pixel)) + v);
      }
      operands[SLICES + s] = vec4(advance(s, sums));
    }
    barrier();
    for (int s = lane; s < out_slices; s += LANES) {
#ifdef PROJECTION
      ivec4 v = ivec4(load_bias(vectors.y + s)) + product(matrices.y + s * cell_slices * 4, SLICES, cell_slices);
      v = clamp(scaled(v, projected.x, projected.y), projected.z, projected.w);
      operands[s] = mask_lanes(next_hidden_t, s, vec4(v));
#else
      operands[s] = operands[SLICES + s];
#endif
      vec4 shown = clamp(operands[s] + float(vectors.w), out_t.quant.z, out_t.quant.w);
      store(out_t.place.x + s * out_t.place.z + pixel, mask_lanes(out_t, s, shown));
    }
    barrier();
  }

  for (int s = lane; s < out_slices; s += LANES) {
    store(next_hidden_t.place.x + s * next_hidden_t.place.z + batch, operands[s]);
  }
  for (int s = lane; s < cell_slices; s += LANES) {
    store_cells(next_cell_t.place.x + s * next_cell_t.place.z + batch, vec4(cells[s]));
  }
}
