// Tints the pixels of masks: an image of colors multiplied by their probabilities, which are in A.
#include "draw/shaders.h"

layout(std140, binding = kPictureBinding) uniform Masks {
  vec4 u_place[2];  // rows of the transform from the frame to the image
  vec4 u_look;      // opacity, 0, 0, 0
};
layout(binding = kTextUnit) uniform highp sampler2D u_masks;

in vec2 v_place;

layout(location = 0) out vec4 o_color;

const float kSoftness = 0.1;  // of edges: half of the range of probabilities that they cover

void main() {
  vec2 at = vec2(dot(u_place[0].xyz, vec3(v_place, 1.0)), dot(u_place[1].xyz, vec3(v_place, 1.0)));
  vec4 mask = textureLod(u_masks, at, 0.0);
  bool outside = any(lessThan(at, vec2(0.0))) || any(greaterThan(at, vec2(1.0)));
  float share = outside ? 0.0 : smoothstep(0.5 - kSoftness, 0.5 + kSoftness, mask.a);
  o_color = vec4(mask.rgb / max(mask.a, 1e-3), share * u_look.x);
}
