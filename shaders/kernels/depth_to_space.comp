// DEPTH_TO_SPACE: output (y, x, c) is input (y / block, x / block) in channel
// ((y % block) * block + x % block) * output channels + c.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 block;  // size, 0, 0, 0
};

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  int batch = layer / out_t.place.y;
  int slice = remainder(layer, out_t.place.y);
  ivec2 at = column_row(pixel, out_t.size.x);
  ivec2 phase = at % block.x;
  int first_channel = (phase.y * block.x + phase.x) * out_t.size.z;
  A_VALUE v = A_VALUE(0);
  for (int lane = 0; lane < 4; ++lane) {
    int channel = slice * 4 + lane;
    if (channel >= out_t.size.z) break;
    channel += first_channel;
    v[lane] = load_a(tensor_index(in_t, batch, channel / 4, at.y / block.x, at.x / block.x))[channel % 4];
  }
  store(out_t.place.x + layer * out_t.place.z + pixel, v);
}
