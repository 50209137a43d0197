// Quantizes values to steps from the zero point, with the 8-bit quantization of their image from dynamic_range.comp.
#define USES_A
#define USES_B
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/activation.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor quanta_t;
  Tensor out_t;
};

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  int at = layer * out_t.place.z + pixel;
  vec4 q = load_b(quanta_t.place.x + quotient(layer, out_t.place.y));  // scale, 1 / scale, zero point, lowest
  vec4 steps = clamp(round_away(q.z + load_a(in_t.place.x + at) * q.y), q.w, 127.0) - q.z;
  store(out_t.place.x + at, steps);  // of the zeros past the last channel: 0
}
