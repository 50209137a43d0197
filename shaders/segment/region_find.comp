// Finds the box of the people in the mask of what the model has sampled, and moves the region towards it: at once to
// where they are, slowly away from where they are not. One work group.
#include "gl/compute.h"
#include "segment/boxes.glsl"
#include "segment/region.glsl"
#include "segment/shaders.h"

layout(local_size_x = kGroupInvocations) in;
layout(binding = kMaskUnit) uniform sampler2D u_mask;  // of the model
layout(std430, binding = kRegionBlock) buffer Region { REGION; };
layout(std140, binding = kParamsBinding) uniform Params {
  vec4 u_pixels;  // xy: size of what the model samples of a whole frame, in pixels; zw: of the model input
};

shared vec4 s_boxes[kGroupInvocations];

// The box of the foreground, in fractions of the mask, of means over four pixels.
vec4 foreground_box(int lane, ivec2 cells) {
  vec4 box = kNowhere;
  for (int i = lane; i < cells.x * cells.y; i += int(kGroupInvocations)) {
    ivec2 cell = ivec2(i % cells.x, i / cells.x);
    if (textureLod(u_mask, (vec2(cell) + 0.5) / vec2(cells), 0.0).r < kRegionSure) continue;
    box = united(box, vec4(vec2(cell), vec2(cell + 1)) / vec4(cells, cells));
  }
  return box;
}

// Larger by a part of itself, and, where the people go on beyond what was sampled, by more.
vec4 with_margin(vec4 people) {
  vec2 size = people.zw - people.xy, step = 3.0 * (region_sampled.zw - region_sampled.xy) / u_pixels.zw;
  vec4 margin = kRegionMargin * size.xyxy + kRegionPixels / u_pixels.xyxy;
  vec4 beyond = vec4(lessThan(people.xy, region_sampled.xy + step), greaterThan(people.zw, region_sampled.zw - step));
  margin += kRegionBeyond * beyond * size.xyxy;
  return people + vec4(-margin.xy, margin.zw);
}

// Neither smaller than the model input, nor of a shape that no model has seen, and inside of the frame.
vec4 within_frame(vec4 box) {
  vec2 size = max(box.zw - box.xy, u_pixels.zw / u_pixels.xy);
  vec2 pixels = size * u_pixels.xy;
  size = max(size, vec2(kRegionLeastAspect * pixels.y, pixels.x / kRegionMostAspect) / u_pixels.xy);
  size = min(size, vec2(1.0));
  vec2 first = clamp(0.5 * (box.xy + box.zw - size), vec2(0.0), 1.0 - size);
  return vec4(first, first + size);
}

vec4 next_box(vec4 people) {
  if (people.x > people.z) return kWholeFrame;
  vec4 wanted = within_frame(with_margin(people));
  bool whole = region_box == kWholeFrame;
  if (area(wanted) > (whole ? kRegionMostArea : kRegionLeaveArea)) return kWholeFrame;
  if (whole) return wanted;
  // People near a side move it, as those outside do.
  vec4 near = people + vec4(-1.0, -1.0, 1.0, 1.0) * 0.3 * kRegionMargin * (people.zw - people.xy).xyxy;
  near = clamp(near, 0.0, 1.0);
  vec4 box = region_box;
  if (near.x < box.x) box.x = min(box.x, wanted.x);
  if (near.y < box.y) box.y = min(box.y, wanted.y);
  if (near.z > box.z) box.z = max(box.z, wanted.z);
  if (near.w > box.w) box.w = max(box.w, wanted.w);
  float size = area(wanted) / area(box);
  if (size < kRegionShrink) region_shrinks = 1.0;
  if (size > kRegionShrunk) region_shrinks = 0.0;
  if (region_shrinks > 0.5) box = mix(box, united(near, wanted), kRegionShare);
  return within_frame(box);
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  ivec2 cells = max(textureSize(u_mask, 0) / 2, ivec2(1));
  s_boxes[lane] = foreground_box(lane, cells);
  barrier();
  if (lane != 0) return;
  vec4 box = kNowhere;
  for (int i = 0; i < int(kGroupInvocations); ++i) box = united(box, s_boxes[i]);
  vec2 size = region_sampled.zw - region_sampled.xy;
  if (box.x <= box.z) box = region_sampled.xyxy + box * size.xyxy;
  region_box = next_box(box);
}
