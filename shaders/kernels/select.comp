// SELECT: an element of the first tensor if the condition holds, otherwise of the second, with numpy broadcasting. The
// condition is input A. Both tensors have the same type, so input B is the view of either.
#define USES_A
#define USES_B
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/activation.glsl"
#include "lib/broadcast.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor condition_t;
  Tensor yes_t;
  Tensor no_t;
  Tensor out_t;
  ivec4 steps_a_b;  // broadcasting steps: of the condition, of the first tensor
  ivec4 steps;      // x, y: of the second one; z: inner size
};

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  ivec4 condition = load_a(broadcast_index(condition_t, steps_a_b.xy, steps.z, out_t, layer, pixel));
  if (condition_t.size.z == 1) condition = condition.xxxx;
  B_VALUE yes = load_b(broadcast_index(yes_t, steps_a_b.zw, steps.z, out_t, layer, pixel));
  if (yes_t.size.z == 1) yes = yes.xxxx;
  B_VALUE no = load_b(broadcast_index(no_t, steps.xy, steps.z, out_t, layer, pixel));
  if (no_t.size.z == 1) no = no.xxxx;
  B_VALUE v = mix(real(no_t, no), real(yes_t, yes), notEqual(condition, ivec4(0)));
  store(out_t.place.x + layer * out_t.place.z + pixel, finish(out_t, remainder(layer, out_t.place.y), v));
}
