// MEAN over rows and columns: one work group a slice. Each invocation sums every 64th pixel, then the group adds up its
// sums as a tree: a fixed order, so a fixed result.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/activation.glsl"

layout(local_size_x = 64) in;

layout(std140, binding = 0) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 code;  // activation, 0, 0, 0
};

shared vec4 sums[64];

void main() {
  int layer = int(gl_WorkGroupID.z);
  int lane = int(gl_LocalInvocationID.x);
  int base = in_t.place.x + layer * in_t.place.z;
  vec4 acc = vec4(0.0);
  for (int i = lane; i < in_t.place.z; i += 64) acc += a_data[base + i];
  sums[lane] = acc;
  for (int width = 32; width > 0; width >>= 1) {
    barrier();
    if (lane < width) sums[lane] += sums[lane + width];
  }
  if (lane == 0) {
    out_data[out_t.place.x + layer] = mask_lanes(
        out_t, layer % out_t.place.y, apply_function(code.x, sums[0] / float(in_t.place.z), vec4(0.0)));
  }
}
