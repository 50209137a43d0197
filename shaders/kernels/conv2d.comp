// CONV_2D, including 1×1, and FULLY_CONNECTED (a 1×1 convolution over a row).
// An invocation computes PIXELS pixels of SLICES output slices, so each loaded weight serves PIXELS pixels and each
// loaded input serves SLICES slices. The pixels of an invocation are LOCAL_X apart: neighboring invocations read
// neighboring addresses.
//   PIXELS, SLICES     the register tile
//   ONE_CHANNEL        the output has one channel: nothing is computed for the others of its slice
//   LOCAL_X, LOCAL_Z   the work group: pixels × slice groups
//   REQUANTIZE, DYNAMIC  conversion of the sums: lib/conv_result.glsl
//   RESIDUAL           adds the second input: lib/residual.glsl
//   GATE               multiplies the data with a factor per channel, also read as the second input
//   POINTWISE          1×1, stride 1, no padding: input and output pixel have the same index
//   ADDEND             with POINTWISE: then adds a tensor of their shape to the data, also read as the second input
#define USES_A
#define WRITES_OUTPUT
#define USES_CONSTANTS
#if defined(DYNAMIC) || defined(RESIDUAL) || defined(GATE) || defined(ADDEND)
#define USES_B
#endif
#include "lib/tensor.glsl"
#include "lib/conv_result.glsl"
#include "lib/residual.glsl"

#ifdef ONE_CHANNEL
#define SUMS float
#define KEPT x
#define ALL_CHANNELS(sum) vec4(sum, 0.0, 0.0, 0.0)
#else
#define SUMS vec4
#define KEPT xyzw
#define ALL_CHANNELS(sums) sums
#endif

layout(local_size_x = LOCAL_X, local_size_y = 1, local_size_z = LOCAL_Z) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 kernel;     // width, height, stride x, stride y
  ivec4 placement;  // dilation x, dilation y, padding left, padding top
  ivec4 constants;  // positions of weights, bias and slope (in vec4), the weight offset
  ivec4 grid;       // slice groups of one batch, 0, 0, 0
  ivec4 rescale;    // for load_conversion()
#ifdef DYNAMIC
  Tensor quanta_t;  // of the data, per batch
#endif
  RESIDUAL_PARAMS
#ifdef GATE
  Tensor gate_t;
#endif
#ifdef ADDEND
  Tensor addend_t;
#endif
};

void finish_sums(int batch, int slice, int pixel, vec4 sums, Conversion conversion) {
  int layer = batch * out_t.place.y + slice;
  store(out_t.place.x + layer * out_t.place.z + pixel, CONV_RESULT(out_t, batch, slice, pixel, sums, conversion));
}

void main() {
  int group = INVOCATION_Z;
  if (group >= grid.x * out_t.size.w) return;
  int batch = quotient(group, grid.x);
  int first_slice = (group - batch * grid.x) * SLICES;
  int first_pixel = GROUP_X * (LOCAL_X * PIXELS) + int(gl_LocalInvocationID.x);
  int area = out_t.place.z;
  if (first_pixel >= area) return;

  int in_slices = in_t.place.y;
  int weights_per_slice = kernel.x * kernel.y * in_slices * 4;
  int in_base = in_t.place.x + batch * in_slices * in_t.place.z;

  // Slices past the end recompute the last one and are not stored.
  int weight[SLICES];
  SUMS acc[PIXELS * SLICES];
  for (int o = 0; o < SLICES; ++o) {
    int slice = min(first_slice + o, out_t.place.y - 1);
    weight[o] = constants.x + slice * weights_per_slice;
    SUMS bias = load_bias(constants.y + slice).KEPT;
    for (int p = 0; p < PIXELS; ++p) acc[p * SLICES + o] = bias;
  }

#ifdef POINTWISE
  int source[PIXELS];
  for (int p = 0; p < PIXELS; ++p) source[p] = in_base + min(first_pixel + p * LOCAL_X, area - 1);
  for (int s = 0; s < in_slices; ++s) {
    FACTOR vec4 v[PIXELS];
    for (int p = 0; p < PIXELS; ++p) v[p] = load_a(source[p] + s * in_t.place.z);
#ifdef GATE
    FACTOR vec4 gate = load_b(gate_t.place.x + batch * in_slices + s);
    for (int p = 0; p < PIXELS; ++p) v[p] *= gate;
#endif
#ifdef ADDEND
    int addend = addend_t.place.x - in_t.place.x + s * in_t.place.z;
    for (int p = 0; p < PIXELS; ++p) v[p] += load_b(addend + source[p]);
#endif
    for (int o = 0; o < SLICES; ++o) {
      int w = weight[o] + s * 4;
      FACTOR SUMS w0 = load_weight(w).KEPT, w1 = load_weight(w + 1).KEPT;
      FACTOR SUMS w2 = load_weight(w + 2).KEPT, w3 = load_weight(w + 3).KEPT;
      for (int p = 0; p < PIXELS; ++p) {
        acc[p * SLICES + o] += v[p].x * w0 + v[p].y * w1 + v[p].z * w2 + v[p].w * w3;
      }
    }
  }
#else
  ivec2 origin[PIXELS];
  for (int p = 0; p < PIXELS; ++p) {
    int pixel = min(first_pixel + p * LOCAL_X, area - 1);
    origin[p] = column_row(pixel, out_t.size.x) * kernel.zw - placement.zw;
  }
  int tap = 0;
  for (int ky = 0; ky < kernel.y; ++ky) {
    for (int kx = 0; kx < kernel.x; ++kx) {
      int source[PIXELS];
      int inside[PIXELS];  // or 0
      for (int p = 0; p < PIXELS; ++p) {
        ivec2 at = origin[p] + ivec2(kx, ky) * placement.xy;
        inside[p] = all(greaterThanEqual(at, ivec2(0))) && all(lessThan(at, in_t.size.xy)) ? 1 : 0;
        source[p] = in_base + (inside[p] != 0 ? at.y * in_t.size.x + at.x : 0);
      }
      for (int s = 0; s < in_slices; ++s) {
        FACTOR vec4 v[PIXELS];
        for (int p = 0; p < PIXELS; ++p) v[p] = inside[p] != 0 ? load_a(source[p] + s * in_t.place.z) : vec4(0.0);
#ifdef GATE
        FACTOR vec4 gate = load_b(gate_t.place.x + batch * in_slices + s);
        for (int p = 0; p < PIXELS; ++p) v[p] = inside[p] != 0 ? v[p] * gate : v[p];
#endif
        for (int o = 0; o < SLICES; ++o) {
          int w = weight[o] + tap + s * 4;
          FACTOR SUMS w0 = load_weight(w).KEPT, w1 = load_weight(w + 1).KEPT;
          FACTOR SUMS w2 = load_weight(w + 2).KEPT, w3 = load_weight(w + 3).KEPT;
          for (int p = 0; p < PIXELS; ++p) {
            acc[p * SLICES + o] += v[p].x * w0 + v[p].y * w1 + v[p].z * w2 + v[p].w * w3;
          }
        }
      }
      tap += in_slices * 4;
    }
  }
#endif

  ivec4 factors = rescale;
#ifdef DYNAMIC
  factors.x = quanta_t.place.x + batch;
#endif
  int end = min(area, first_pixel + PIXELS * LOCAL_X);
  int slices[SLICES];
  for (int o = 0; o < SLICES; ++o) slices[o] = first_slice + o;
#if PIXELS >= 8
  // One copy of this code for all pixels: compilers would spend most of their time on one for each. The sums move, as
  // those at a variable index would be in memory. No index is one above a counter: Mesa's conversion to TGSI, which virgl
  // and others use, takes that for the counter of the next iteration, and counts before it reads the lower element.
  Conversion conversions[SLICES];
  for (int o = 0; o < SLICES; ++o) {
    conversions[o] = load_conversion(out_t, min(slices[o], out_t.place.y - 1), constants.z, factors);
  }
  for (int pixel = first_pixel; pixel < end; pixel += LOCAL_X) {
    for (int o = 0; o < SLICES; ++o) {
      if (slices[o] < out_t.place.y) finish_sums(batch, slices[o], pixel, ALL_CHANNELS(acc[o]), conversions[o]);
    }
    for (int p = 1; p < PIXELS; ++p) {
      for (int o = 0; o < SLICES; ++o) acc[(p - 1) * SLICES + o] = acc[p * SLICES + o];
    }
  }
#else
  // Mesa unrolls a loop over an array of its length. Otherwise `acc` may end up in memory, at many times the cost.
  int pixels[PIXELS];
  for (int p = 0; p < PIXELS; ++p) pixels[p] = first_pixel + p * LOCAL_X;
  for (int o = 0; o < SLICES; ++o) {
    if (slices[o] >= out_t.place.y) continue;
    Conversion conversion = load_conversion(out_t, slices[o], constants.z, factors);
    for (int p = 0; p < PIXELS; ++p) {
      if (pixels[p] < end) finish_sums(batch, slices[o], pixels[p], ALL_CHANNELS(acc[p * SLICES + o]), conversion);
    }
  }
#endif
}
