// Writes the position of a model input in the frame: a square.
#include "detect/regions.glsl"
#include "detect/frame_part.glsl"

void place_input(vec4 square) {
  vec2 across = turned(vec2(square.z, 0.0), square.w) / u_frame.xy;
  vec2 down = turned(vec2(0.0, square.z), square.w) / u_frame.xy;
  place_part(square.xy / u_frame.xy - 0.5 * (across + down), across, down);
}
