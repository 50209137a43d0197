// The foreground over its background, pixel for pixel of the upright frame. Colours are not premultiplied before the end.
//   BACKGROUND  kColorComposite: u_color; kPictureComposite: u_background, a picture; kBlurComposite: u_background,
//               blurred, premultiplied by the weight in A; kMaskComposite: the mask itself
//               + kLightWrap: the light of the colour or the picture wraps round the foreground
//               kTintComposite, kClassTintComposite: nothing, but colours over the frame: on the foreground; on the
//               classes of u_background
//   REFINE      how the mask is refined: segment/opacity.glsl
#include "lib/frame.glsl"
#include "segment/opacity.glsl"
#include "segment/background.glsl"
#include "segment/shaders.h"

#if BACKGROUND >= kTintComposite
#include "draw/palette.glsl"
#include "segment/class_tint.glsl"
#endif
#if BACKGROUND == kColorComposite + kLightWrap || BACKGROUND == kPictureComposite + kLightWrap
layout(binding = kLightUnit) uniform sampler2D u_light;  // of the background, blurred, in RGB: none deep in the foreground
#endif

in vec2 v_place;
layout(location = 0) out vec4 o_color;

void main() {
  vec4 frame = fetch_frame(place_in_frame(v_place));
  float front = opacity(v_place, frame.rgb);
#if BACKGROUND == kMaskComposite
  o_color = vec4(vec3(front), 1.0);
#elif BACKGROUND >= kTintComposite
#if BACKGROUND == kTintComposite
  vec4 tint = vec4(class_color(1).rgb, front);
#else
  vec4 tint = class_tint(v_place);
#endif
  o_color = vec4(mix(frame.rgb, tint.rgb, tint.a * u_overlay_opacity), frame.a);
#else
#if BACKGROUND == kPictureComposite || BACKGROUND == kPictureComposite + kLightWrap
  vec4 behind = background_picture(v_place);
#elif BACKGROUND == kBlurComposite
  vec4 blurred = sample_bspline(u_background, v_place);
  vec4 behind = vec4(mix(frame.rgb, blurred.rgb / blurred.a, u_blur_share), frame.a);
#else
  vec4 behind = u_color;
#endif
#if BACKGROUND == kColorComposite + kLightWrap || BACKGROUND == kPictureComposite + kLightWrap
  // As two lights on one screen: never beyond white.
  frame.rgb += (1.0 - frame.rgb) * u_light_wrap * sample_bspline(u_light, v_place).rgb;
#endif
  float front_share = frame.a * front;
  float alpha = mix(behind.a, frame.a, front);
  // Where alpha is nothing once it is stored in 8 bits, the frame's colors are not stored either.
  float stored = floor(alpha * 255.0 + 0.5) / 255.0;
  o_color = vec4(mix(behind.rgb, frame.rgb, stored > 0.0 ? front_share / alpha : 0.0), stored);
  o_color.rgb *= mix(1.0, stored, u_premultiply);
#endif
}
