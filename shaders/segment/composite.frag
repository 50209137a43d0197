// Composites the foreground over the background, per pixel of the upright frame. Colors are straight until the end.
//   BACKGROUND  kColorComposite: u_color; kPictureComposite: u_background, an image; kBlurComposite: u_background,
//               blurred, premultiplied by the weight in A; kMaskComposite: the mask itself
//               + kLightWrap: the light of the color or the image wraps around the foreground
//               kTintComposite, kClassTintComposite: the frame, with colors over the foreground or over the classes of
//               u_background
//   REFINE      refinement of the mask: segment/opacity.glsl
//   GRADED      if defined, colors of the frame are changed: segment/graded.glsl
//   FEATHERED   if defined, u_feathered is the opacity of the foreground, over the whole frame
//   TILE        kEdgeTile: any pixels; kFrontTile, kBehindTile: only foreground, only background
#include "lib/frame.glsl"
#include "segment/opacity.glsl"
#include "segment/background.glsl"
#include "segment/shaders.h"

in vec2 v_place;
layout(location = 0) out vec4 o_color;

#ifdef GRADED
#include "segment/graded.glsl"
#endif
#ifdef FEATHERED
layout(binding = kFeatheredUnit) uniform sampler2D u_feathered;
#endif
#define LIT (BACKGROUND == kColorComposite + kLightWrap || BACKGROUND == kPictureComposite + kLightWrap)
#define REPLACED (BACKGROUND == kColorComposite || BACKGROUND == kPictureComposite || LIT)
#if BACKGROUND >= kTintComposite
#include "draw/palette.glsl"
#include "segment/class_tint.glsl"
#endif
#if REPLACED
#include "segment/foreground.glsl"
layout(binding = kFrontColorsUnit) uniform sampler2D u_front_colors;  // segment/foreground_colors.comp
layout(binding = kBehindColorsUnit) uniform sampler2D u_behind_colors;

// The foreground color of a pixel with that opacity. Opaque pixels, or pixels stored as such, keep the frame color.
vec3 despilled(vec3 mixed, float alpha) {
  if (u_despill == 0.0 || alpha > 254.5 / 255.0) return mixed;
  return foreground_color(mixed, alpha, mean_color(sample_bspline(u_front_colors, v_place)),
                          mean_color(textureLod(u_behind_colors, v_place, 0.0)));
}
#endif
#if LIT
layout(binding = kLightUnit) uniform sampler2D u_light;  // blurred background light in RGB; 0 deep in the foreground
#endif

#if BACKGROUND == kBlurComposite
// In [-1,1], different for neighbors: interleaved gradient noise (Jimenez: Next Generation Post Processing in Call of
// Duty: Advanced Warfare, SIGGRAPH 2014).
float dither() { return 2.0 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 1.0; }
#endif

void main() {
  vec4 frame = fetch_frame(place_in_frame(v_place));
#if TILE == kEdgeTile
  MaskThere there = mask_there(v_place);
  float mixture = opacity(there, quiet_color(there, v_place, frame.rgb));
#else
  const float mixture = TILE == kFrontTile ? 1.0 : 0.0;
#endif
#ifdef FEATHERED
  float front = sample_bspline(u_feathered, v_place).r;
#else
  float front = mixture;
#endif
#ifdef GRADED
  if (front > 0.0) frame.rgb = without_noise(frame.rgb, v_place);
#endif
#if BACKGROUND == kMaskComposite
  o_color = vec4(vec3(front), 1.0);
#elif BACKGROUND >= kTintComposite
#if BACKGROUND == kTintComposite
  vec4 tint = vec4(class_color(1).rgb, front);
#else
  vec4 tint = class_tint(v_place);
#endif
#ifdef GRADED
  frame.rgb = lifted(frame.rgb);
#endif
  o_color = vec4(mix(frame.rgb, tint.rgb, tint.a * u_overlay_opacity), frame.a);
#else
#if BACKGROUND == kPictureComposite || BACKGROUND == kPictureComposite + kLightWrap
  vec4 behind = background_picture(v_place);
#elif BACKGROUND == kBlurComposite
  vec4 behind = frame;
  if (front < 1.0) {
    vec4 blurred = sample_bspline(u_background, v_place);
    behind.rgb = mix(frame.rgb, blurred.rgb / blurred.a, u_blur_share);
#ifdef GRADED
    behind.rgb = lifted(behind.rgb);
#endif
    behind.rgb += u_dither * dither();
  }
#else
  vec4 behind = u_color;
#endif
#if REPLACED
  if (front > 0.0) frame.rgb = despilled(frame.rgb, mixture);
#endif
#ifdef GRADED
  frame.rgb = lifted(frame.rgb);
#if BACKGROUND == kPictureComposite || BACKGROUND == kPictureComposite + kLightWrap
  frame.rgb = matched(frame.rgb);
#endif
#endif
#if LIT
  // The screen formula never exceeds white.
  frame.rgb += (1.0 - frame.rgb) * u_light_wrap * sample_bspline(u_light, v_place).rgb;
#endif
  float front_share = frame.a * front;
#if REPLACED
  // Over the background, which shows where the frame is transparent.
  float alpha = mix(behind.a, 1.0, front_share);
#else
  // Behind the foreground is the frame itself, which stays as transparent as it was.
  float alpha = mix(behind.a, frame.a, front);
#endif
  // If alpha is 0 once stored in 8 bits, the colors of the frame are not stored either.
  float stored = floor(alpha * 255.0 + 0.5) / 255.0;
  o_color = vec4(mix(behind.rgb, frame.rgb, stored > 0.0 ? front_share / alpha : 0.0), stored);
  o_color.rgb *= mix(1.0, stored, u_premultiply);
#endif
}
