// Writes the uniform block of lib/frame_block.glsl for a reader that sees only a part of what the reader of this block
// sees: `part` is a box in reader coordinates, `block` nine vectors in a storage block.
#include "lib/frame_block.glsl"

vec4 row_of_part(vec4 row, vec4 part) {
  return vec4(row.xy * (part.zw - part.xy), dot(row.xyz, vec3(part.xy, 1.0)), row.w);
}

#define STORE_FRAME_PART(block, part)                      \
  for (int row = 0; row < 2; ++row) block[row] = row_of_part(frame_place[row], part); \
  block[2] = frame_visible;                                \
  block[3] = frame_centers;                                \
  block[4] = frame_chroma_centers;                         \
  block[5] = frame_chroma;                                 \
  for (int row = 0; row < 3; ++row) block[6 + row] = frame_color[row]
