// The 8-bit quantization of each image of a batch, from the range of its values. Zero is always in the range, so lanes
// past the last channel do not matter.
//   FINAL  1: the second pass: the input has the ranges of parts (x, y), the output the quantization: scale, 1 / scale,
//          zero point, lowest (the highest is 127); 2: the only pass, from the values
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"
#include "lib/activation.glsl"
#include "lib/workgroup_range.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;
  ivec4 part;  // vec4 per image, vec4 per part, parts per image, 1 for an asymmetric range
};

const int kLoads = 4;  // of an invocation, one after the other

vec4 quanta(vec2 range) {
  if (part.w == 0) {
    float largest = max(-range.x, range.y);
    return largest == 0.0 ? vec4(1.0, 0.0, 0.0, -127.0) : vec4(largest / 127.0, 127.0 / largest, 0.0, -127.0);
  }
  if (range.x == range.y) return vec4(1.0, 0.0, 0.0, -128.0);
  float scale = (range.y - range.x) / 255.0;
  vec2 ends = range / scale;
  float zero = 128.0 + abs(ends.x) < 127.0 + abs(ends.y) ? -128.0 - ends.x : 127.0 - ends.y;
  return vec4(scale, 1.0 / scale, round_away(vec4(clamp(zero, -128.0, 127.0))).x, -128.0);
}

void main() {
  int lane = int(gl_LocalInvocationID.x);
  int group = GROUP_Z;
  int picture = group / part.z;
  int start = (group % part.z) * part.y;
  int end = min(start + part.y, part.x);
  vec2 range = vec2(0.0);
  for (int i = start + lane; i < end; i += kKernelInvocations * kLoads) {
    vec4 v[kLoads];  // the last ones again past the end
    for (int k = 0; k < kLoads; ++k) {
      v[k] = load_a(in_t.place.x + picture * part.x + min(i + k * kKernelInvocations, end - 1));
    }
    for (int k = 0; k < kLoads; ++k) {
#if defined(FINAL) && FINAL == 1
      range = vec2(min(range.x, v[k].x), max(range.y, v[k].y));
#else
      vec2 low = min(v[k].xy, v[k].zw), high = max(v[k].xy, v[k].zw);
      range = vec2(min(range.x, min(low.x, low.y)), max(range.y, max(high.x, high.y)));
#endif
    }
  }
  range = combine_ranges(lane, range);
  if (lane != 0) return;
#ifdef FINAL
  store(out_t.place.x + group, quanta(range));
#else
  store(out_t.place.x + group, vec4(range, 0.0, 0.0));
#endif
}
