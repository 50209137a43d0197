// The background behind the foreground, if it is not the frame itself.
#include "segment/shaders.h"

layout(binding = kBackgroundUnit) uniform sampler2D u_background;

// The image and, around it if it does not cover the frame, the color.
vec4 background_picture(vec2 place) {
  bool inside = all(greaterThanEqual(place, u_picture_place.xy)) && all(lessThanEqual(place, u_picture_place.zw));
  return inside ? textureLod(u_background, u_to_picture.xy * place + u_to_picture.zw, 0.0) : u_color;
}
