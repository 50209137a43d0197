// The foreground over its background, pixel for pixel of the upright frame. Colours are not premultiplied.
//   BACKGROUND  0: u_color; 1: u_background, a picture; 2: u_background, blurred, premultiplied by the weight in A;
//               3: the mask itself
//   REFINE      how the mask is refined: segment/opacity.glsl
#include "lib/frame.glsl"
#include "segment/opacity.glsl"

layout(binding = 2) uniform sampler2D u_background;

in vec2 v_place;
layout(location = 0) out vec4 o_color;

void main() {
  vec4 frame = fetch_frame(place_in_frame(v_place));
  float front = opacity(v_place, frame.rgb);
#if BACKGROUND == 3
  o_color = vec4(vec3(front), 1.0);
#else
#if BACKGROUND == 1
  vec4 behind = textureLod(u_background, v_place, 0.0);
#elif BACKGROUND == 2
  vec4 blurred = sample_bspline(u_background, v_place);
  vec4 behind = vec4(mix(frame.rgb, blurred.rgb / blurred.a, u_blur_share), frame.a);
#else
  vec4 behind = u_color;
#endif
  float front_share = frame.a * front;
  float alpha = mix(behind.a, frame.a, front);
  o_color = vec4(mix(behind.rgb, frame.rgb, alpha > 0.0 ? front_share / alpha : 1.0), alpha);
#endif
}
