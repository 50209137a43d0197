// CONV_2D with a 3×3 kernel and stride 1, by Winograd's algorithm F(2×2, 3×3): 16 products for a square of 2×2 outputs
// and an input channel, instead of 36. With the 4×4 inputs d of a square and the kernel g,
//   outputs = Aᵀ ((Bᵀ d B) ⊙ (G g Gᵀ)) A
//   Bᵀ = 1  0 -1  0    Aᵀ = 1  1  1  0    G = 1     0    0
//        0  1  1  0         0  1 -1 -1        1/2   1/2  1/2
//        0 -1  1  0                           1/2  -1/2  1/2
//        0  1  0 -1                           0     0    1
// winograd_data.comp computes Bᵀ d B, and ops/winograd.cpp G g Gᵀ. An invocation computes SQUARES squares of SLICES output
// slices, one of the 16 elements after the other, so only the sums of one element must be in registers.
//   SQUARES, SLICES  the register tile; the squares of an invocation are LOCAL_X apart
//   LOCAL_X          the work group
//   RESIDUAL         adds the second input: lib/residual.glsl
#define USES_A
#define WRITES_OUTPUT
#define USES_CONSTANTS
#ifdef RESIDUAL
#define USES_B
#endif
#include "lib/tensor.glsl"
#include "lib/conv_result.glsl"
#include "lib/residual.glsl"

layout(local_size_x = LOCAL_X) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;  // Bᵀ d B
  Tensor out_t;
  ivec4 constants;  // positions of weights, bias and slope (in vec4), 0
  ivec4 grid;       // slice groups of one batch, elements of a square (16), 0, 0
  ivec4 rescale;    // for load_conversion()
  RESIDUAL_PARAMS
};

// Column `i` of Aᵀ.
vec2 parts(int i) { return i == 0 ? vec2(1.0, 0.0) : i == 3 ? vec2(0.0, -1.0) : vec2(1.0, i == 1 ? 1.0 : -1.0); }

void main() {
  int group = INVOCATION_Z;
  if (group >= grid.x * out_t.size.w) return;
  int batch = quotient(group, grid.x);
  int first_slice = (group - batch * grid.x) * SLICES;
  int squares = in_t.place.z;
  int first_square = GROUP_X * (LOCAL_X * SQUARES) + int(gl_LocalInvocationID.x);
  if (first_square >= squares) return;

  int in_slices = in_t.place.y;
  // Slices past the end recompute the last one and are not stored.
  int weight[SLICES];
  vec4 result[SQUARES * SLICES * 4];
  for (int o = 0; o < SLICES; ++o) {
    int slice = min(first_slice + o, out_t.place.y - 1);
    weight[o] = constants.x + slice * grid.y * in_slices * 4;
    vec4 bias = load_bias(constants.y + slice);
    for (int t = 0; t < SQUARES * 4; ++t) result[o * (SQUARES * 4) + t] = bias;
  }
  int source[SQUARES];
  for (int t = 0; t < SQUARES; ++t) {
    source[t] = in_t.place.x + batch * grid.y * in_slices * squares + min(first_square + t * LOCAL_X, squares - 1);
  }

  // The bound is a parameter: compilers would unroll a loop of 16.
  for (int element = 0; element < grid.y; ++element) {
    vec4 sums[SQUARES * SLICES];
    for (int k = 0; k < SQUARES * SLICES; ++k) sums[k] = vec4(0.0);
    for (int s = 0; s < in_slices; ++s) {
      vec4 v[SQUARES];
      for (int t = 0; t < SQUARES; ++t) v[t] = load_a(source[t] + s * squares);
      for (int o = 0; o < SLICES; ++o) {
        int w = weight[o] + s * 4;
        vec4 w0 = load_weight(w), w1 = load_weight(w + 1), w2 = load_weight(w + 2), w3 = load_weight(w + 3);
        for (int t = 0; t < SQUARES; ++t) {
          sums[o * SQUARES + t] += v[t].x * w0 + v[t].y * w1 + v[t].z * w2 + v[t].w * w3;
        }
      }
    }
    for (int o = 0; o < SLICES; ++o) weight[o] += in_slices * 4;
    for (int t = 0; t < SQUARES; ++t) source[t] += in_slices * squares;
    vec2 column = parts(element & 3), row = parts(element >> 2);
    vec4 share = vec4(column, column) * row.xxyy;
    for (int k = 0; k < SQUARES * SLICES; ++k) {
      result[k * 4] += sums[k] * share.x;
      result[k * 4 + 1] += sums[k] * share.y;
      result[k * 4 + 2] += sums[k] * share.z;
      result[k * 4 + 3] += sums[k] * share.w;
    }
  }

  for (int o = 0; o < SLICES; ++o) {
    int slice = first_slice + o;
    if (slice >= out_t.place.y) break;
    int layer = batch * out_t.place.y + slice;
    Conversion conversion = load_conversion(out_t, slice, constants.z, rescale);
    for (int t = 0; t < SQUARES; ++t) {
      int square = first_square + t * LOCAL_X;
      ivec2 first = column_row(square, in_t.size.x) * 2;
      for (int p = 0; p < 4; ++p) {
        ivec2 at = first + ivec2(p & 1, p >> 1);
        if (square < squares && all(lessThan(at, out_t.size.xy))) {
          int pixel = at.y * out_t.size.x + at.x;
          vec4 v = result[(o * SQUARES + t) * 4 + p];
          store(out_t.place.x + layer * out_t.place.z + pixel, CONV_RESULT(out_t, batch, slice, pixel, v, conversion));
        }
      }
    }
  }
}
