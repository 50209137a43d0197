// Halves a picture: four bilinear fetches make the separable filter [1 3 3 1] / 8.
//   FROM  kFromInput: u_input; the others are read from the frame and its mask, refined as REFINE says
//         (segment/opacity.glsl)
//         kFromFrame: the frame; each sample is weighted by how little it belongs to the foreground, so that the
//         foreground does not bleed into the blur. RGB come out premultiplied by the weight in A
//         kFromOpacity: the foreground's opacity, in R
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

#if FROM != kFromInput
vec2 texel_size() { return u_frame_texel; }
vec4 fetch(vec2 place) {
#if FROM == kFromFrame || REFINE != Refine_kNone
  vec3 color = fetch_frame(place_in_frame(place)).rgb;
#else
  vec3 color = vec3(0.0);
#endif
#if FROM == kFromFrame && REFINE == Refine_kNone
  float front = matte(textureLod(u_mask, mask_place(place), 0.0).r);
#else
  float front = opacity(place, color);
#endif
#if FROM == kFromFrame
  // The smallest weight keeps the quotient defined deep inside the foreground; squaring keeps soft edges out.
  float weight = max((1.0 - front) * (1.0 - front), 1.0 / 256.0);
  return vec4(color * weight, weight);
#elif FROM == kFromOpacity
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
#else
vec2 texel_size() { return 1.0 / vec2(textureSize(u_input, 0)); }
vec4 fetch(vec2 place) { return textureLod(u_input, place, 0.0); }
#endif

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  vec2 place = (vec2(position) + 0.5) / vec2(size);
  vec2 d = 0.75 * texel_size();
  vec4 sum = fetch(place - d) + fetch(place + d) + fetch(place + vec2(d.x, -d.y)) + fetch(place + vec2(-d.x, d.y));
  imageStore(u_output, position, 0.25 * sum);
}
