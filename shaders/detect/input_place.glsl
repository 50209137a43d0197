// Writes the position of a model input in the frame: a square.
#include "detect/regions.glsl"
#include "gl/frame_part.glsl"

layout(std430, binding = 2) writeonly buffer Place { vec4 frame_block[9]; };

void place_input(vec4 square) {
  vec2 across = turned(vec2(square.z, 0.0), square.w) / u_frame.xy;
  vec2 down = turned(vec2(0.0, square.z), square.w) / u_frame.xy;
  STORE_FRAME_PART(frame_block, square.xy / u_frame.xy - 0.5 * (across + down), across, down);
}
