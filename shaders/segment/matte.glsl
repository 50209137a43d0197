// From the model's mask to the opacity of the foreground.
#include "segment/shaders.h"

layout(binding = kMaskUnit) uniform sampler2D u_mask;  // the probability of foreground in R, at model resolution
layout(std140, binding = kLookBinding) uniform Look {
  vec4 u_to_mask[2];    // rows of the affine map from frame to mask, both in fractions
  vec4 u_from_mask[2];  // and back
  vec4 u_mask_bounds;  // least and greatest place in the mask that shows the frame
  vec4 u_matte_range;  // x: probabilities below are background; y: above, foreground
  vec4 u_color;
  vec4 u_picture_place;  // least and greatest place in the frame that the background picture covers
  vec4 u_to_picture;     // place in the picture = xy * place in the frame + zw
  float u_blur_share;    // of the blurred picture; below 1 for radii under its smallest
  float u_premultiply;   // 1: colours are to be multiplied by their alpha, 0: not
  vec2 u_frame_texel;    // of the upright frame, in fractions of it
  float u_light_wrap;    // how much of the background's light falls on the foreground's edges
  float u_overlay_opacity;  // of colours over the frame
  float u_despill;          // 1: the foreground's own colors are composited, 0: the frame's
};

// Kept away from the mask's own border and from letterbox bars, whose values say nothing about the frame.
vec2 mask_place(vec2 frame_place) {
  vec3 p = vec3(frame_place, 1.0);
  return clamp(vec2(dot(u_to_mask[0].xyz, p), dot(u_to_mask[1].xyz, p)), u_mask_bounds.xy, u_mask_bounds.zw);
}

vec2 frame_place_of_mask(vec2 mask_place) {
  vec3 p = vec3(mask_place, 1.0);
  return vec2(dot(u_from_mask[0].xyz, p), dot(u_from_mask[1].xyz, p));
}

float matte(float probability) { return smoothstep(u_matte_range.x, u_matte_range.y, probability); }
