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

// The pixels of an invocation are one group apart.
void main() {
  int first = GROUP_X * (kKernelInvocations * kQuantizedPixels) + int(gl_LocalInvocationID.x);
  if (first >= out_t.place.z) return;
  int layer = GROUP_Z;
  vec4 q = load_b(quanta_t.place.x + quotient(layer, out_t.place.y));  // scale, 1 / scale, zero point, lowest
  int last = layer * out_t.place.z + out_t.place.z - 1, at = layer * out_t.place.z + first;
  vec4 v[kQuantizedPixels];
  for (int p = 0; p < kQuantizedPixels; ++p) v[p] = load_a(in_t.place.x + min(at + p * kKernelInvocations, last));
  for (int p = 0; p < kQuantizedPixels; ++p) {
    vec4 steps = clamp(round_away(q.z + v[p] * q.y), q.w, 127.0) - q.z;
    int to = at + p * kKernelInvocations;
    if (to <= last) store(out_t.place.x + to, steps);  // of the zeros past the last channel: 0
  }
}
