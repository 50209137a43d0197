// Copies one input of CONCATENATION to its position in the output. READS_OUTPUT: its channels start in the middle of a
// slice, whose first lanes an earlier dispatch wrote and this one keeps.
#define USES_A
#ifndef READS_OUTPUT
#define WRITES_OUTPUT
#endif
#include "lib/tensor.glsl"
#include "lib/activation.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 offset;  // x, y, channel, batch of the first input element in the output
  ivec4 grid;    // output slices touched by the input, 0, 0, 0
};

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= in_t.place.z) return;
  int batch = GROUP_Z / grid.x;
  int out_slice = offset.z / 4 + GROUP_Z % grid.x;
  ivec2 at = column_row(pixel, in_t.size.x);
  int target = tensor_index(out_t, batch + offset.w, out_slice, at.y + offset.y, at.x + offset.x);
#ifdef READS_OUTPUT
  A_VALUE kept = load_output(target);
  A_VALUE v = A_VALUE(0);
  for (int lane = 0; lane < 4; ++lane) {
    int channel = out_slice * 4 + lane - offset.z;
    if (channel >= 0 && channel < in_t.size.z) {
      v[lane] = load_a(tensor_index(in_t, batch, channel / 4, at.y, at.x))[channel % 4];
    }
  }
  v = finish(out_t, out_slice, real(in_t, v));
  for (int lane = 0; lane < 4; ++lane) {
    if (out_slice * 4 + lane < offset.z) v[lane] = kept[lane];
  }
#else
  A_VALUE v = load_a(tensor_index(in_t, batch, out_slice - offset.z / 4, at.y, at.x));
  v = finish(out_t, out_slice, real(in_t, v));
#endif
  store(target, v);
}
