// Finds the box of the people in the mask of what the model has sampled, and moves the region towards it: at once to
// where they are, slowly away from where they are not. Decides whether the mask can be trusted. One work group.
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
shared float s_counts[kGroupInvocations];

// The box of the foreground, in fractions of the mask, of means over four pixels. `count`: of those means.
vec4 foreground_box(int lane, ivec2 cells, out float count) {
  vec4 box = kNowhere;
  count = 0.0;
  for (int i = lane; i < cells.x * cells.y; i += int(kGroupInvocations)) {
    ivec2 cell = ivec2(i % cells.x, i / cells.x);
    if (textureLod(u_mask, (vec2(cell) + 0.5) / vec2(cells), 0.0).r < kRegionSure) continue;
    count += 1.0;
    box = united(box, vec4(vec2(cell), vec2(cell + 1)) / vec4(cells, cells));
  }
  return box;
}

// 1 at the sides of what was sampled that are within so many pixels of the model input from the people.
vec4 beyond(vec4 people, float pixels) {
  vec2 step = pixels * (region_sampled.zw - region_sampled.xy) / u_pixels.zw;
  return vec4(lessThan(people.xy, region_sampled.xy + step), greaterThan(people.zw, region_sampled.zw - step));
}

// Larger by a part of itself, and, where the people go on, by more.
vec4 with_margin(vec4 people) {
  vec2 size = people.zw - people.xy;
  vec4 margin = (kRegionMargin + kRegionBeyond * beyond(people, 3.0)) * size.xyxy + kRegionPixels / u_pixels.xyxy;
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

vec4 next_box(vec4 box, vec4 people) {
  if (people.x > people.z) return kWholeFrame;
  vec4 wanted = within_frame(with_margin(people));
  bool whole = box == kWholeFrame;
  if (area(wanted) > (whole ? kRegionMostArea : kRegionLeaveArea)) return kWholeFrame;
  if (whole) return wanted;
  // People near a side move it, as those outside do.
  vec4 near = people + vec4(-1.0, -1.0, 1.0, 1.0) * 0.3 * kRegionMargin * (people.zw - people.xy).xyxy;
  near = clamp(near, 0.0, 1.0);
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

bool alike(float people, float other, float times) {
  return people <= times * other + kRegionSlack && other <= times * people + kRegionSlack;
}

// A part of a frame without people can look like one: a part of an animal, or of a meal. Then the model finds much more in
// it than in the whole frame, and something else whenever the part moves. Small people are found much better in a part,
// too, but again and again. `people`: their share of the frame. `cut`: the part shows only some of them.
bool trusts(float people, bool cut) {
  float before = region_part_people;
  region_part_people = cut && region_active < 0.5 ? 0.0 : people;
  // Judged now, or else when the region has grown.
  bool judged = region_judges > 0.5 && !(cut && region_active > 0.5);
  if (!judged) return region_active > 0.5 && alike(people, before, kRegionAlike);
  region_judges = 0.0;
  bool small = people > kRegionSlack && people < kRegionSmall;
  region_agreed = small && !cut && alike(people, before, kRegionAgrees) ? region_agreed + 1.0 : 0.0;
  return !cut && (alike(people, region_whole_people, kRegionAlike) || region_agreed >= float(kRegionAgreed));
}

void move(float people, vec4 box) {
  if (region_sampled == kWholeFrame) {
    region_whole_people = people;
    region_judges = 1.0;
    region_grew = 0.0;
    region_trusted = 1.0;
    region_rest = max(region_rest - 1.0, 0.0);
    vec4 next = region_rest > 0.0 ? kWholeFrame : next_box(region_box, box);
    // It may show less of small people than the part does, so only masks of the part make it smaller.
    region_box = region_active > 0.5 && next != kWholeFrame ? united(next, region_box) : next;
    if (region_box == kWholeFrame) region_active = 0.0;
    return;
  }
  bvec4 inside = bvec4(greaterThan(region_sampled.xy, vec2(0.0)), lessThan(region_sampled.zw, vec2(1.0)));
  bool cut = any(notEqual(beyond(box, 0.5) * vec4(inside), vec4(0.0)));
  bool trusted = trusts(people, cut);
  vec4 next = next_box(region_sampled, box);
  region_trusted = region_active = trusted ? 1.0 : 0.0;
  if (!trusted && cut && region_grew < 0.5 && region_rest == 0.0) {
    // A coarse mask of the whole frame missed a part of them. The next mask is judged instead.
    region_grew = region_judges = 1.0;
    region_box = next;
    return;
  }
  // People who are too large for a part, but not in the whole frame, would get one and the other in turn.
  bool outgrown = next == kWholeFrame && box.x <= box.z;
  if (trusted) region_rest = 0.0;
  if ((!trusted || outgrown) && region_rest == 0.0) region_rest = float(kRegionRest);
  region_box = trusted ? next : kWholeFrame;
  region_trial = trusted ? kWholeFrame : next;
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  ivec2 cells = max(textureSize(u_mask, 0) / 2, ivec2(1));
  float count;
  s_boxes[lane] = foreground_box(lane, cells, count);
  s_counts[lane] = count;
  barrier();
  if (lane != 0 || region_runs == 0u) return;  // the mask is that of an earlier run
  vec4 box = kNowhere;
  count = 0.0;
  for (int i = 0; i < int(kGroupInvocations); ++i) {
    box = united(box, s_boxes[i]);
    count += s_counts[i];
  }
  vec2 size = region_sampled.zw - region_sampled.xy;
  if (box.x <= box.z) box = region_sampled.xyxy + box * size.xyxy;
  move(count / float(cells.x * cells.y) * size.x * size.y, box);
}
