// Halves a picture: four bilinear fetches make the separable filter [1 3 3 1] / 8.
// WEIGHTED: the input is the frame; each sample is weighted by how little it belongs to the foreground, so that the
// foreground does not bleed into the blur. RGB come out premultiplied by the weight in A. REFINE is how the mask is
// refined: segment/opacity.glsl.
#ifdef WEIGHTED
#include "lib/frame.glsl"
#include "segment/opacity.glsl"
#else
layout(binding = 0) uniform sampler2D u_input;
#endif

layout(local_size_x = 8, local_size_y = 8) in;
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;

#ifdef WEIGHTED
vec2 texel_size() { return u_frame_texel; }
vec4 fetch(vec2 place) {
  vec4 color = fetch_frame(place_in_frame(place));
  // The smallest weight keeps the quotient defined deep inside the foreground; squaring keeps soft edges out.
#if REFINE == 0
  float background = 1.0 - matte(textureLod(u_mask, mask_place(place), 0.0).r);
#else
  float background = 1.0 - opacity(place, color.rgb);
#endif
  float weight = max(background * background, 1.0 / 256.0);
  return vec4(color.rgb * weight, weight);
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
