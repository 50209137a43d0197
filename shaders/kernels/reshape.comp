// RESHAPE with a changed order of elements in memory: finds each output element by its index in tightly packed
// row-major order (batch, row, column, channel). LANES: the number of channels changes.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
};

void main() {
  int pixel = INVOCATION_X;
  if (pixel >= out_t.place.z) return;
  int layer = GROUP_Z;
  int slice = remainder(layer, out_t.place.y);
  int dense_pixel = quotient(layer, out_t.place.y) * out_t.place.z + pixel;
  A_VALUE v = A_VALUE(0);
#ifdef LANES
  for (int lane = 0; lane < 4; ++lane) {
    int channel = slice * 4 + lane;
    if (channel >= out_t.size.z) break;
    int dense = dense_pixel * out_t.size.z + channel;
    int in_pixel = quotient(dense, in_t.size.z);
    int in_channel = dense - in_pixel * in_t.size.z;
    int picture = quotient(in_pixel, in_t.place.z);
    int layers = picture * in_t.place.y + (in_channel >> 2);
    v[lane] = load_a(in_t.place.x + (layers - picture) * in_t.place.z + in_pixel)[in_channel & 3];
  }
#else
  int picture = quotient(dense_pixel, in_t.place.z);
  v = load_a(in_t.place.x + (picture * in_t.place.y + slice - picture) * in_t.place.z + dense_pixel);
#endif
  store(out_t.place.x + layer * out_t.place.z + pixel, v);
}
