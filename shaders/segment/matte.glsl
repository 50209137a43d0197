// Converts the mask to the opacity of the foreground.
#include "segment/shaders.h"

layout(binding = kMaskUnit) uniform sampler2D u_mask;  // foreground probability in R, at model resolution
layout(std140, binding = kLookBinding) uniform Look {
  vec4 u_to_mask[2];    // rows of the affine map from frame to mask coordinates, in fractions
  vec4 u_from_mask[2];  // the inverse
  vec4 u_mask_bounds;  // min and max mask coordinates that show the frame
  vec4 u_matte_range;  // x: below is background; y: above is foreground
  vec4 u_color;
  vec4 u_picture_place;  // min and max frame coordinates that the background image covers
  vec4 u_to_picture;     // image coordinates = xy * frame coordinates + zw
  float u_blur_share;    // of the blurred picture; below 1 for radii under its smallest
  float u_premultiply;   // 1: multiply colors by their alpha, 0: do not
  vec2 u_frame_texel;    // size of a pixel of the upright frame, in fractions
  float u_light_wrap;    // amount of background light on foreground edges
  float u_overlay_opacity;  // opacity of colors over the frame
  float u_despill;          // 1: composite estimated foreground colors, 0: frame colors
  float u_guide_history;    // 1: G of the mask says how still the frame is, 0: it does not
  float u_dither;           // amplitude of the noise in a blurred background
  float u_unused;
  vec2 u_tile;  // size of a tile of segment/sort_tiles.frag, in fractions of the upright frame
};

// Stays inside the mask borders and the letterbox bars, whose values are not about the frame.
vec2 mask_place(vec2 frame_place) {
  vec3 p = vec3(frame_place, 1.0);
  return clamp(vec2(dot(u_to_mask[0].xyz, p), dot(u_to_mask[1].xyz, p)), u_mask_bounds.xy, u_mask_bounds.zw);
}

vec2 frame_place_of_mask(vec2 mask_place) {
  vec3 p = vec3(mask_place, 1.0);
  return vec2(dot(u_from_mask[0].xyz, p), dot(u_from_mask[1].xyz, p));
}

float matte(float probability) { return smoothstep(u_matte_range.x, u_matte_range.y, probability); }
