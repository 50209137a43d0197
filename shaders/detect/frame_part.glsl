// Writes the position of a model input in the frame: the uniform block of lib/frame_block.glsl, in std140 layout.
#include "lib/frame_block.glsl"

layout(std430, binding = 2) writeonly buffer Place { vec4 frame_block[9]; };

// In fractions of the frame: the top left corner, and the ways across and down.
void place_part(vec2 corner, vec2 across, vec2 down) {
  for (int row = 0; row < 2; ++row) {
    vec4 m = frame_place[row];
    frame_block[row] = vec4(dot(m.xy, across), dot(m.xy, down), dot(m.xyz, vec3(corner, 1.0)), m.w);
  }
  frame_block[2] = frame_visible;
  frame_block[3] = frame_centers;
  frame_block[4] = frame_chroma_centers;
  frame_block[5] = frame_chroma;
  for (int row = 0; row < 3; ++row) frame_block[6 + row] = frame_color[row];
}
