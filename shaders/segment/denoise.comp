// The colors of the foreground without noise: means over time where the frame is still, and otherwise over similar
// neighbors. Dispatched while the frame becomes brighter. Colors in RGB; A: the number of frames in them, 0 outside of the foreground.
//   REFINE  how the mask is refined: segment/opacity.glsl
#include "gl/compute.h"
#include "lib/frame.glsl"
#include "segment/opacity.glsl"
#include "segment/grade.glsl"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = kQuietUnit) uniform sampler2D u_before;
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;
layout(std140, binding = kParamsBinding) uniform Grade { GRADE; };

const int kReach = 2;  // pixels to each side
const int kGuideSide = int(kGroupSide) + 2 * kReach, kSide = kGuideSide + 2;
shared vec3 s_colors[kSide * kSide];
shared vec3 s_guide[kGuideSide * kGuideSide];  // the same, as means of 3 x 3 pixels with weights of 1, 2, and 1 per axis
shared int s_foreground[1];

// Without the smooth interpolation that the composite has: noise in the last trace of an edge is not visible.
bool shows_foreground(vec2 place) {
#if REFINE == Refine_kNone
  return matte(textureLod(u_mask, mask_place(place), 0.0).r) > 0.0;
#else
  return matte(textureLod(u_surroundings, mask_place(place), 0.0).g) > 0.0;
#endif
}

vec3 guide_at(ivec2 corner) {
  vec3 sum = vec3(0.0);
  for (int i = 0; i < 9; ++i) {
    ivec2 d = ivec2(i % 3, i / 3);
    sum += vec3((2 - abs(d.x - 1)) * (2 - abs(d.y - 1))) * s_colors[(corner.y + d.y) * kSide + corner.x + d.x];
  }
  return sum / 16.0;
}

float squared(vec3 v) { return dot(v, v); }

// The mean of neighbors whose surroundings differ by no more than noise does. Software renderers skip the rest of a loop,
// but no branch: `shown` saves its time.
vec3 mean_of_similar(ivec2 local, float variance, bool shown) {
  ivec2 center = local + kReach;
  vec3 color = s_colors[(center.y + 1) * kSide + center.x + 1];
  vec3 guide = s_guide[center.y * kGuideSide + center.x];
  float guide_falloff = 0.5 / (1.6 * variance), falloff = 0.5 / (12.0 * variance);
  const int kAcross = 2 * kReach + 1;
  vec4 sum = vec4(0.0);
  int count = shown ? kAcross * kAcross : 0;
  for (int i = 0; i < count; ++i) {
    ivec2 at = local + ivec2(i % kAcross, i / kAcross);
    vec3 neighbor = s_colors[(at.y + 1) * kSide + at.x + 1];
    float difference = guide_falloff * squared(s_guide[at.y * kGuideSide + at.x] - guide);
    sum += exp(-difference - falloff * squared(neighbor - color)) * vec4(neighbor, 1.0);
  }
  return sum.rgb / max(sum.a, 1e-4);
}

// The number of earlier frames that count.
float history(ivec2 position, vec3 guide, float variance, bool shown) {
  if (grade_light.w == 0.0) return 0.0;
  vec2 size = vec2(textureSize(u_before, 0));
  vec3 before = vec3(0.0);
  int count = shown ? 4 : 0;
  for (int i = 0; i < count; ++i) {
    vec2 corner = vec2(position) + vec2(i & 1, i >> 1);
    before += textureLod(u_before, corner / size, 0.0).rgb;
  }
  // Of noise, 0.14 of the variance remains in a mean with these weights, and less in one over time.
  float change = squared(guide - 0.25 * before) / (3.0 * 0.17 * variance);
  return texelFetch(u_before, position, 0).a * (1.0 - smoothstep(3.0, 8.0, change));
}

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy), local = ivec2(gl_LocalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  int lane = int(gl_LocalInvocationIndex);
  vec2 place = (vec2(position) + 0.5) / vec2(size);
  bool shown = all(lessThan(position, size)) && shows_foreground(place);
  if (lane == 0) s_foreground[0] = 0;
  barrier();
  if (shown) atomicAdd(s_foreground[0], 1);
  barrier();
  int colors = s_foreground[0] > 0 ? kSide * kSide : 0, guides = s_foreground[0] > 0 ? kGuideSide * kGuideSide : 0;
  ivec2 first = ivec2(gl_WorkGroupID.xy) * int(kGroupSide) - kReach - 1;
  for (int i = lane; i < colors; i += int(kGroupInvocations)) {
    ivec2 at = clamp(first + ivec2(i % kSide, i / kSide), ivec2(0), size - 1);
    s_colors[i] = fetch_frame(place_in_frame((vec2(at) + 0.5) / vec2(size))).rgb;
  }
  barrier();
  for (int i = lane; i < guides; i += int(kGroupInvocations)) {
    s_guide[i] = guide_at(ivec2(i % kGuideSide, i / kGuideSide));
  }
  barrier();
  if (any(greaterThanEqual(position, size))) return;
  if (!shown) {
    imageStore(u_output, position, vec4(fetch_frame(place_in_frame(place)).rgb, 0.0));
    return;
  }
  float variance = grade_light.z * grade_light.z;
  vec3 color = s_colors[(local.y + kReach + 1) * kSide + local.x + kReach + 1];
  vec3 similar = mean_of_similar(local, variance, shown);
  float frames = history(position, s_guide[(local.y + kReach) * kGuideSide + local.x + kReach], variance, shown);
  float share = frames / (frames + 1.0);
  // The longer nothing moves, the less neighbors are needed.
  vec3 now = mix(similar, color, smoothstep(0.5, 0.85, share));
  if (frames > 0.0) now = mix(now, texelFetch(u_before, position, 0).rgb, share);
  const float kMostFrames = 12.0;
  imageStore(u_output, position, vec4(now, min(frames, kMostFrames - 1.0) + 1.0));
}
