// For each cell of a mask: the share of foreground in it, and the box of that.
#include "gl/compute.h"
#include "segment/boxes.glsl"
#include "segment/people.glsl"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = kMaskUnit) uniform sampler2D u_mask;
layout(std430, binding = kPeopleBlock) buffer People { PEOPLE; };

void main() {
  ivec2 cell = ivec2(gl_GlobalInvocationID.xy), grid = ivec2(people_grid.xy);
  if (any(greaterThanEqual(cell, grid))) return;
  vec2 size = vec2(textureSize(u_mask, 0));
  // A fetch is the mean of four pixels.
  float step = min(people_grid.z, 2.0);
  int fetches = int(people_grid.z / step);
  vec4 box = kNowhere;
  int sure = 0;
  for (int i = 0; i < fetches * fetches; ++i) {
    vec2 first = people_grid.z * vec2(cell) + step * vec2(i % fetches, i / fetches);
    vec4 fetched = vec4(first, min(first + step, size)) / size.xyxy;
    vec2 middle = 0.5 * (fetched.xy + fetched.zw);
    bool shown = all(greaterThan(middle, people_visible.xy)) && all(lessThan(middle, people_visible.zw));
    if (!shown || any(greaterThanEqual(first, size)) || textureLod(u_mask, middle, 0.0).r < kPeopleSure) continue;
    box = united(box, fetched);
    ++sure;
  }
  int n = cell.y * grid.x + cell.x;
  people_boxes[n] = box;
  people_shares[n] = float(sure) / float(fetches * fetches);
}
