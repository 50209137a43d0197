// Samples a camera frame of any kind (sightglass/frame_ref.h) at reader coordinates. Planes of Y, Cb and Cr are
// converted to RGB per sample; a converted frame never exists.
//   FRAME_EXTERNAL      one external texture, which the driver converts to RGB
//   FRAME_TWO_PLANES    Y in R; Cb and Cr in R and G
//   FRAME_THREE_PLANES  Y, Cb and Cr, each in R
//   none of them        one color texture
// With FRAME_PARTS, a reader sees several parts of the frame: it sets `frame_part` first.
#include "lib/frame_block.glsl"

#ifdef FRAME_PARTS
int frame_part = 0;
#define place_row(row) frame_parts[2 * frame_part + row]
#else
#define place_row(row) frame_place[row]
#endif

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

// Maps reader coordinates to stored-frame coordinates; both in fractions.
vec2 place_in_frame(vec2 at) {
  return vec2(dot(place_row(0).xyz, vec3(at, 1.0)), dot(place_row(1).xyz, vec3(at, 1.0)));
}

// The color at reader coordinates; `padding` outside of the visible part.
vec4 sample_frame(vec2 at, vec4 padding) {
  vec2 place = place_in_frame(at);
  bool inside =
      all(greaterThanEqual(place, frame_visible.xy)) && all(lessThanEqual(place, frame_visible.zw));
  return inside ? fetch_frame(place) : padding;
}

// How many fetches along a side of a cell, in stored-frame coordinates, stand for the pixels that it covers: each is the
// mean of two.
int fetches_along(vec2 side) {
  const float kRounding = 0.02;
  float pixels = length(side * vec2(place_row(0).w, place_row(1).w));
  return clamp(int(ceil(0.5 * pixels - kRounding)), 1, kMostFetches);
}

// A rectangle of the reader, such as one of its pixels, anywhere in the frame.
struct FrameCell {
  vec2 right, down;  // from a fetch to the next one, in stored-frame coordinates
  int across, along;  // numbers of fetches
};

// Of this size in reader coordinates.
FrameCell frame_cell(vec2 size) {
  vec2 right = size.x * vec2(place_row(0).x, place_row(1).x);
  vec2 down = size.y * vec2(place_row(0).y, place_row(1).y);
  int across = fetches_along(right), along = fetches_along(down);
  return FrameCell(right / float(across), down / float(along), across, along);
}

// The mean color of a cell with the center `at` in reader coordinates; `padding` if that is outside of the visible part.
// One sample there would show noise, and miss what is thinner than the distance between the samples.
vec4 sample_frame_cell(vec2 at, FrameCell cell, vec4 padding) {
  vec2 place = place_in_frame(at);
  bool inside =
      all(greaterThanEqual(place, frame_visible.xy)) && all(lessThanEqual(place, frame_visible.zw));
  if (!inside) return padding;
  vec2 first = place - 0.5 * (float(cell.across - 1) * cell.right + float(cell.along - 1) * cell.down);
  vec4 sum = vec4(0.0);
  for (int y = 0; y < cell.along; ++y) {
    for (int x = 0; x < cell.across; ++x) sum += fetch_frame(first + float(x) * cell.right + float(y) * cell.down);
  }
  return sum / float(cell.across * cell.along);
}
