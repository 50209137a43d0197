// The mean over rows and columns, and one or two 1×1 CONV_2D of its one pixel, as in squeeze-and-excite blocks: one work
// group per image. Of each slice, several invocations add up some pixels if there are fewer slices than invocations.
//   BETWEEN  the code of the function between two convolutions; not defined for one
//   ADDEND   the data are the sum of both inputs
#define USES_A
#ifdef ADDEND
#define USES_B
#endif
#define WRITES_OUTPUT
#define USES_CONSTANTS
#include "lib/tensor.glsl"
#include "lib/conv_result.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 constants;  // positions of weights, bias and slope (in vec4), 0
  ivec4 made_by;    // positions of the weights and bias of the first convolution of two (in vec4), its output slices, 0
#ifdef ADDEND
  Tensor addend_t;
#endif
};

shared vec4 parts[kMostSqueezedSlices];
shared vec4 means[kMostSqueezedSlices];
#ifdef BETWEEN
shared vec4 squeezed[kMostSqueezedSlices];
#define CONVOLVED squeezed
#else
#define CONVOLVED means
#endif

vec4 products(vec4 v, int w) {
  return v.x * load_weight(w) + v.y * load_weight(w + 1) + v.z * load_weight(w + 2) + v.w * load_weight(w + 3);
}

void main() {
  int lane = int(gl_LocalInvocationID.x);
  int batch = GROUP_Z, slices = in_t.place.y, area = in_t.place.z;
  int sharing = max(quotient(kKernelInvocations, slices), 1);
  for (int i = lane; i < slices * sharing; i += kKernelInvocations) {
    int slice = quotient(i, sharing);
    int base = in_t.place.x + (batch * slices + slice) * area;
    vec4 sum = vec4(0.0);
#ifdef ADDEND
    int addend = addend_t.place.x - in_t.place.x + base;
    for (int pixel = i - slice * sharing; pixel < area; pixel += sharing) {
      sum += load_a(base + pixel) + load_b(addend + pixel);
    }
#else
    for (int pixel = i - slice * sharing; pixel < area; pixel += sharing) sum += load_a(base + pixel);
#endif
    parts[i] = sum;
  }
  barrier();
  for (int s = lane; s < slices; s += kKernelInvocations) {
    vec4 sum = parts[s * sharing];
    for (int i = 1; i < sharing; ++i) sum += parts[s * sharing + i];
    means[s] = sum / float(area);
  }
  barrier();
#ifdef BETWEEN
  for (int o = lane; o < made_by.z; o += kKernelInvocations) {
    vec4 sum = load_bias(made_by.y + o);
    for (int s = 0; s < slices; ++s) sum += products(means[s], made_by.x + (o * slices + s) * 4);
    squeezed[o] = apply_function(BETWEEN, sum, vec4(0.0));
  }
  barrier();
#endif
  for (int o = lane; o < out_t.place.y; o += kKernelInvocations) {
    vec4 sum = load_bias(constants.y + o);
    for (int s = 0; s < made_by.z; ++s) sum += products(CONVOLVED[s], constants.x + (o * made_by.z + s) * 4);
    Conversion conversion = load_conversion(out_t, o, constants.z, ivec4(0));
    store(out_t.place.x + batch * out_t.place.y + o, conv_result(out_t, o, sum, conversion));
  }
}
