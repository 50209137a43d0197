// Loads a texture into a model input tensor of up to four channels (R G B A; one channel gets the luminance).
//   FRAME_PARTS   the tensor has several images, each of which is a part of the frame
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/activation.glsl"
#include "lib/frame.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor out_t;
  vec4 scale, offset, padding;
};

void main() {
  int pixel = INVOCATION_X;
#ifdef FRAME_PARTS
  if (pixel >= out_t.place.z * out_t.size.w) return;
  frame_part = int(uint(pixel) / uint(out_t.place.z));
  ivec2 at = column_row(pixel - frame_part * out_t.place.z, out_t.size.x);
#else
  if (pixel >= out_t.place.z) return;
  ivec2 at = column_row(pixel, out_t.size.x);
#endif
  vec4 v = sample_frame_cell((vec2(at) + 0.5) / vec2(out_t.size.xy), frame_cell(1.0 / vec2(out_t.size.xy)), padding);
  if (out_t.size.z == 1) v = vec4(dot(v.rgb, vec3(0.299, 0.587, 0.114)));  // BT.601
#ifdef OUT_I32
  store(out_t.place.x + pixel, mask_lanes(out_t, 0, ivec4(floor(v * scale + offset + 0.5))));
#else
  store(out_t.place.x + pixel, finish(out_t, 0, v * scale + offset));
#endif
}
