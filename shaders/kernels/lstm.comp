// Time steps of a float LSTM: one work group per batch, so the hidden state of a step goes to the next one through
// shared memory. The contribution of the data to the gates has been computed for all steps at once and is input A.
//   SLICES       maximum slices of cells or outputs
//   LAYER_NORM   the gates are normalized over the cells
//   PROJECTION   the outputs are a matrix times the outputs of the cells
#define USES_A
#define USES_B
#define WRITES_OUTPUT
#define USES_CONSTANTS
#include "lib/tensor.glsl"
#include "lib/activation.glsl"

#define LANES kKernelInvocations
layout(local_size_x = LANES) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor gates_t;  // four groups of slices: input, forget, cell, output gate
  Tensor hidden_t;
  Tensor cell_t;
  Tensor out_t;
  Tensor next_hidden_t;
  Tensor next_cell_t;
  ivec4 steps;      // first, count, pixels from one time step to the next, from one batch to the next
  ivec4 matrices;   // recurrent weights, projection (in elements of their storage); activation; 1: coupled input gate
  ivec4 vectors;    // peephole weights, factors and biases of the normalization, bias of the projection (in vec4)
  vec4 limits;      // clip of cells, of the projection
};

shared vec4 hidden[SLICES];
shared vec4 made[SLICES];  // the outputs of the cells
shared vec4 cells[SLICES];
#ifdef LAYER_NORM
shared vec4 sums[LANES];
shared vec4 pending[4 * SLICES];  // the sums of the gates
#endif

int lane = 0;  // of this invocation, from main() on

vec4 sigmoid(vec4 x) { return apply_function(GpuFunction_kLogistic, x, vec4(0.0)); }

vec4 clip(vec4 v, float bound) { return bound > 0.0 ? clamp(v, -bound, bound) : v; }

// Adds the matrix at `weights` (four vec4 per each of `count` slices) times `hidden`.
vec4 times_hidden(int weights, int count, vec4 acc) {
  for (int k = 0; k < count; ++k) {
    vec4 v = hidden[k];
    int w = weights + 4 * k;
    acc += v.x * load_weight(w) + v.y * load_weight(w + 1) + v.z * load_weight(w + 2) + v.w * load_weight(w + 3);
  }
  return acc;
}

vec4 peephole(int which, int s) { return load_bias(vectors.x + which * cell_t.place.y + s); }

#ifdef LAYER_NORM
// The sum of `v` over the group, in a fixed order. Not as a tree: llvmpipe loses track of barriers in nested loops.
vec4 group_sum(vec4 v) {
  sums[lane] = v;
  barrier();
  vec4 total = vec4(0.0);
  for (int i = 0; i < LANES; ++i) total += sums[i];
  barrier();
  return total;
}

float lanes_sum(vec4 v, int s) {
  v = mask_lanes(cell_t, s, v);
  return v.x + v.y + v.z + v.w;
}

// Normalizes the gates from `first` to `last` over the cells.
void layer_norm(int first, int last) {
  int count = cell_t.place.y;
  vec4 total = vec4(0.0);
  for (int g = first; g <= last; ++g) {
    for (int s = lane; s < count; s += LANES) total[g] += lanes_sum(pending[g * count + s], s);
  }
  vec4 mean = group_sum(total) / float(cell_t.size.z);
  total = vec4(0.0);
  for (int g = first; g <= last; ++g) {
    for (int s = lane; s < count; s += LANES) {
      vec4 d = pending[g * count + s] - mean[g];
      total[g] += lanes_sum(d * d, s);
    }
  }
  vec4 scale = inversesqrt(group_sum(total) / float(cell_t.size.z) + 1e-8);
  for (int g = first; g <= last; ++g) {
    for (int s = lane; s < count; s += LANES) {
      int at = g * count + s;
      pending[at] = (pending[at] - mean[g]) * scale[g] * load_bias(vectors.y + at) + load_bias(vectors.z + at);
    }
  }
}
#endif

// The cells of slice `s` after this step, from the sums of input, forget and cell gate.
vec4 next_cell(int s, vec4 i, vec4 f, vec4 g) {
  f = sigmoid(f);
  i = matrices.w != 0 ? 1.0 - f : sigmoid(i);
  vec4 c = clip(f * cells[s] + i * apply_function(matrices.z, g, vec4(0.0)), limits.x);
  return mask_lanes(cell_t, s, c);
}

void make(int s, vec4 o) {
  made[s] = mask_lanes(cell_t, s, sigmoid(o) * apply_function(matrices.z, cells[s], vec4(0.0)));
}

void main() {
  lane = int(gl_LocalInvocationID.x);
  int batch = GROUP_Z;
  int cell_slices = cell_t.place.y, out_slices = hidden_t.place.y;
  for (int s = lane; s < out_slices; s += LANES) {
    hidden[s] = load_b(hidden_t.place.x + s * hidden_t.place.z + batch);
  }
  for (int s = lane; s < cell_slices; s += LANES) {
    cells[s] = load_b(cell_t.place.x + s * cell_t.place.z + batch);
  }
  barrier();

  for (int t = steps.x; t < steps.x + steps.y; ++t) {
    int pixel = t * steps.z + batch * steps.w;
    for (int s = lane; s < cell_slices; s += LANES) {
      vec4 gate[4];
      for (int g = 0; g < 4; ++g) {
        int run = g * cell_slices + s;
        vec4 v = load_a(gates_t.place.x + run * gates_t.place.z + pixel);
        gate[g] = times_hidden(matrices.x + run * out_slices * 4, out_slices, v);
      }
      gate[0] += peephole(0, s) * cells[s];
      gate[1] += peephole(1, s) * cells[s];
#ifdef LAYER_NORM
      for (int g = 0; g < 4; ++g) pending[g * cell_slices + s] = gate[g];
    }
    layer_norm(0, 2);
    for (int s = lane; s < cell_slices; s += LANES) {
      cells[s] = next_cell(s, pending[s], pending[cell_slices + s], pending[2 * cell_slices + s]);
      int at = 3 * cell_slices + s;
      pending[at] += peephole(2, s) * cells[s];
    }
    layer_norm(3, 3);
    for (int s = lane; s < cell_slices; s += LANES) make(s, pending[3 * cell_slices + s]);
#else
      cells[s] = next_cell(s, gate[0], gate[1], gate[2]);
      make(s, gate[3] + peephole(2, s) * cells[s]);
    }
#endif
    barrier();
    for (int s = lane; s < out_slices; s += LANES) {
#ifdef PROJECTION
      vec4 h = load_bias(vectors.w + s);
      for (int k = 0; k < cell_slices; ++k) {
        vec4 v = made[k];
        int w = matrices.y + (s * cell_slices + k) * 4;
        h += v.x * load_weight(w) + v.y * load_weight(w + 1) + v.z * load_weight(w + 2) + v.w * load_weight(w + 3);
      }
      h = clip(h, limits.y);
#else
      vec4 h = made[s];
#endif
      hidden[s] = mask_lanes(next_hidden_t, s, h);
      store(out_t.place.x + s * out_t.place.z + pixel, hidden[s]);
    }
    barrier();
  }

  for (int s = lane; s < out_slices; s += LANES) {
    store(next_hidden_t.place.x + s * next_hidden_t.place.z + batch, hidden[s]);
  }
  for (int s = lane; s < cell_slices; s += LANES) {
    store(next_cell_t.place.x + s * next_cell_t.place.z + batch, cells[s]);
  }
}
