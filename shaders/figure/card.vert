// One instance is a card (gst_plugin/figure/backdrop.h), drawn as a strip of four vertices.
#include "figure/backdrop.h"
#include "figure/camera_block.glsl"

layout(std140, binding = kListBinding) uniform Cards {
  vec4 u_cards[5 * kMostCards];  // five for each: middle, half sizes; cosine, sine, corner, softness; a, shape; b, texture; detail
};

uniform int u_first;

out vec2 v_place;  // relative to the card center, along its axes, in half frame heights
flat out int v_card;

void main() {
  v_card = u_first + gl_InstanceID;
  vec4 place = u_cards[v_card * 5], turn = u_cards[v_card * 5 + 1];
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
  v_place = corner * (place.zw + turn.w + 0.01);
  vec2 at = place.xy + vec2(v_place.x * turn.x - v_place.y * turn.y, v_place.x * turn.y + v_place.y * turn.x);
  gl_Position = vec4(at.x / u_room.x, -at.y, 0.0, 1.0);
}
