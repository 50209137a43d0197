// Copies the stored frame pixel by pixel.
#include "lib/frame.glsl"

in vec2 v_place;
layout(location = 0) out vec4 o_color;

void main() { o_color = fetch_frame(place_in_frame(v_place)); }
