// The camera's frame, whatever it lies in (gpu_engine/frame_ref.h), sampled where a reader wants it: planes of Y, Cb and
// Cr become colours here, sample by sample, and no converted frame ever exists.
//   FRAME_EXTERNAL      one external texture, which the driver makes colours of
//   FRAME_TWO_PLANES    Y in R; Cb and Cr in R and G
//   FRAME_THREE_PLANES  Y, Cb and Cr, each in R
//   none of them        one texture of colours
#include "lib/frame_block.glsl"

vec2 visible_place(vec2 place) { return clamp(place, frame_centers.xy, frame_centers.zw); }

#if defined(FRAME_EXTERNAL)
layout(binding = kFirstFrameUnit) uniform highp samplerExternalOES frame_texture;
vec4 fetch_frame(vec2 place) { return texture(frame_texture, visible_place(place)); }

#elif defined(FRAME_TWO_PLANES) || defined(FRAME_THREE_PLANES)
layout(binding = kFirstFrameUnit) uniform sampler2D frame_y;
layout(binding = kSecondFrameUnit) uniform sampler2D frame_cb;
#if defined(FRAME_THREE_PLANES)
layout(binding = kThirdFrameUnit) uniform sampler2D frame_cr;
vec2 fetch_chroma(vec2 place) { return vec2(textureLod(frame_cb, place, 0.0).r, textureLod(frame_cr, place, 0.0).r); }
#else
vec2 fetch_chroma(vec2 place) { return textureLod(frame_cb, place, 0.0).rg; }
#endif
vec4 fetch_frame(vec2 place) {
  vec2 chroma_place = place * frame_chroma.xy + frame_chroma.zw;
  vec2 chroma = fetch_chroma(clamp(chroma_place, frame_chroma_centers.xy, frame_chroma_centers.zw));
  vec4 samples = vec4(textureLod(frame_y, visible_place(place), 0.0).r, chroma, 1.0);
  vec3 color = vec3(dot(frame_color[0], samples), dot(frame_color[1], samples), dot(frame_color[2], samples));
  return vec4(clamp(color, 0.0, 1.0), 1.0);
}

#else
layout(binding = kFirstFrameUnit) uniform sampler2D frame_texture;
vec4 fetch_frame(vec2 place) { return textureLod(frame_texture, visible_place(place), 0.0); }
#endif

// Where in the stored frame the reader's place is; both in fractions.
vec2 place_in_frame(vec2 at) {
  return vec2(dot(frame_place[0].xyz, vec3(at, 1.0)), dot(frame_place[1].xyz, vec3(at, 1.0)));
}

// The colour at the reader's place; `padding` outside of what is to be seen.
vec4 sample_frame(vec2 at, vec4 padding) {
  vec2 place = place_in_frame(at);
  bool inside =
      all(greaterThanEqual(place, frame_visible.xy)) && all(lessThanEqual(place, frame_visible.zw));
  return inside ? fetch_frame(place) : padding;
}
