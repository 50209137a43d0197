// Writes the uniform block of lib/frame_block.glsl for a reader that sees only a part of what the reader of this block
// sees. `block`: nine vectors in a storage block. The part is a parallelogram in reader coordinates: a corner, and the
// ways across and down.
#include "lib/frame_block.glsl"

vec4 row_of_part(vec4 row, vec2 corner, vec2 across, vec2 down) {
  return vec4(dot(row.xy, across), dot(row.xy, down), dot(row.xyz, vec3(corner, 1.0)), row.w);
}

#define STORE_FRAME_PART(block, corner, across, down) \
  for (int row = 0; row < 2; ++row) block[row] = row_of_part(frame_place[row], corner, across, down); \
  block[2] = frame_visible; \
  block[3] = frame_centers; \
  block[4] = frame_chroma_centers; \
  block[5] = frame_chroma; \
  for (int row = 0; row < 3; ++row) block[6 + row] = frame_color[row]
