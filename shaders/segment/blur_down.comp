// Halves an image. Four bilinear fetches make a separable filter: a tent two pixels wide on each side, which is
// [1 3 3 1] / 8 between two pixels. If the size is odd, texels are anywhere among pixels: the filter must then still
// suppress frequencies that the halved image cannot represent.
//   FROM  kFromInput: u_input. The others sample the frame and its mask, refined by REFINE (segment/opacity.glsl).
//         kFromFrame: the frame. Each sample is weighted by its share of background and its alpha, so that neither the
//         foreground nor the colors of transparent pixels bleed into the blur. RGB are premultiplied by the weight in A
//         kFromHighlights: light of the frame, the squared color, weighted likewise, and more if it is bright. The
//         filter is the mean of four pixels
//         kFromOpacity: the opacity of the foreground, in R
//         kFromColorLight, kFromPictureLight: the light that comes from the background, in RGB
#include "gl/compute.h"
#include "segment/mask_refiner.h"
#include "segment/shaders.h"

#if FROM != kFromInput
#include "lib/frame.glsl"
#include "segment/opacity.glsl"
#include "segment/background.glsl"
#else
layout(binding = 0) uniform sampler2D u_input;
#endif

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;

#if FROM == kFromInput
vec2 texel_size() { return 1.0 / vec2(textureSize(u_input, 0)); }
vec4 fetch(vec2 place) { return textureLod(u_input, place, 0.0); }
#else
vec2 texel_size() { return u_frame_texel; }
#endif

#if FROM == kFromFrame
vec4 fetch(vec2 place, MaskThere there) {
  vec4 color = fetch_frame(place_in_frame(place));
  float behind = 1.0 - opacity(there, color.rgb);
  // The smallest weight keeps the quotient defined deep inside the foreground. Squaring keeps soft edges out.
  float weight = max(behind * behind * color.a, 1.0 / 256.0);
  return vec4(color.rgb * weight, weight);
}
#elif FROM == kFromHighlights
// Certainty that the surroundings are background. A bright shirt at a mask that is slightly too small must not glow.
float certainty(vec2 place) {
  vec2 at = mask_place(place);
#if REFINE == Refine_kNone
  vec2 d = 1.5 / vec2(textureSize(u_mask, 0));
  vec2 e = vec2(d.x, -d.y);
  float front = max(max(textureLod(u_mask, at - d, 0.0).r, textureLod(u_mask, at + d, 0.0).r),
                    max(textureLod(u_mask, at - e, 0.0).r, textureLod(u_mask, at + e, 0.0).r));
#else
  float front = textureLod(u_surroundings, at, 0.0).g;
#endif
  float behind = 1.0 - matte(front);
  return behind * behind;
}
vec4 fetch(vec2 place, MaskThere there, float boost) {
  vec4 color = fetch_frame(place_in_frame(place));
  vec3 light = color.rgb * color.rgb;
  float behind = 1.0 - opacity(there, color.rgb);
  float brightest = max(max(light.r, light.g), light.b);
  float highlight = brightest * brightest * brightest * brightest;
  // As kFromFrame. In light, the smallest weight must be smaller.
  float weight = max(behind * behind * color.a * (1.0 + boost * highlight), 1.0 / 4096.0);
  return vec4(light * weight, weight);
}
#elif FROM != kFromInput
vec4 fetch(vec2 place) {
#if REFINE != Refine_kNone
  float front = opacity(place, fetch_frame(place_in_frame(place)).rgb);
#else
  float front = opacity(place, vec3(0.0));
#endif
#if FROM == kFromOpacity
  return vec4(front, 0.0, 0.0, 1.0);
#else
#if FROM == kFromColorLight
  vec4 behind = u_color;
#else
  vec4 behind = background_picture(place);
#endif
  return vec4(behind.rgb * behind.a * (1.0 - front), 1.0);
#endif
}
#endif

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  vec2 place = (vec2(position) + 0.5) / vec2(size);
  // The mask is coarser than the frame.
#if FROM == kFromFrame || FROM == kFromHighlights
  MaskThere there = mask_there(place);
#endif
#if FROM == kFromFrame
#define FETCH(at) fetch(at, there)
#else
#define FETCH(at) fetch(at)
#endif
#if FROM == kFromHighlights
  // At the centers of pixels: a mixture of two pixels is less bright than one of them.
  vec2 d = 0.5 * texel_size();
  float boost = float(kHighlightBoost) * certainty(place);
  vec4 mean = 0.25 * (fetch(place - d, there, boost) + fetch(place + d, there, boost) +
                      fetch(place + vec2(d.x, -d.y), there, boost) + fetch(place + vec2(-d.x, d.y), there, boost));
#else
  vec2 texel = texel_size();
  vec2 t = fract(place / texel - 0.5);
  vec2 first = place - t * texel;  // the center of the pixel at or before it
  vec2 low = first + texel * ((2.0 - t) / (3.0 - 2.0 * t) - 1.0), high = first + texel * (t / (1.0 + 2.0 * t) + 1.0);
  vec2 upper = 0.25 + 0.5 * t;
  vec4 mean = mix(mix(FETCH(low), FETCH(vec2(high.x, low.y)), upper.x),
                  mix(FETCH(vec2(low.x, high.y)), FETCH(high), upper.x), upper.y);
#endif
  imageStore(u_output, position, mean);
}
