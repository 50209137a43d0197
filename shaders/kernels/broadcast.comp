// BROADCAST_TO: a tensor repeated along dimensions of size 1.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/activation.glsl"
#include "lib/broadcast.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 steps_in;  // x, y
  ivec4 steps;     // z: inner size
};

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  A_VALUE v = load_a(broadcast_index(in_t, steps_in.xy, steps.z, out_t, layer, pixel));
  if (in_t.size.z == 1) v = v.xxxx;
  store(out_t.place.x + layer * out_t.place.z + pixel, finish(out_t, remainder(layer, out_t.place.y), real(in_t, v)));
}
