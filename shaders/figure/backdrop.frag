// The backdrop, out of focus, in the light of the room. A is 0: it contains no figure.
#include "figure/camera_block.glsl"

layout(binding = 0) uniform sampler2D u_backdrop;

in vec2 v_place;
layout(location = 0) out vec4 o_color;
layout(location = 1) out vec4 o_rest;  // all but the figure

// A cubic B-spline over one mip level: blurs evenly, without a grid.
vec4 sample_level(sampler2D image, vec2 place, float level) {
  vec2 size = vec2(textureSize(image, int(level)));
  vec2 texel = place * size - 0.5, f = fract(texel), g = 1.0 - f;
  vec2 w0 = g * g * g / 6.0, w1 = (4.0 - 6.0 * f * f + 3.0 * f * f * f) / 6.0, w3 = f * f * f / 6.0;
  vec2 upper = 1.0 - w0 - w1;
  vec2 low = (texel - f - 0.5 + w1 / (w0 + w1)) / size, high = (texel - f + 1.5 + w3 / upper) / size;
  return mix(mix(textureLod(image, low, level), textureLod(image, vec2(high.x, low.y), level), upper.x),
             mix(textureLod(image, vec2(low.x, high.y), level), textureLod(image, high, level), upper.x), upper.y);
}

void main() {
  float level = u_room.y;
  vec3 color = level < 0.5 ? textureLod(u_backdrop, v_place, 0.0).rgb : sample_level(u_backdrop, v_place, level).rgb;
  vec2 p = vec2((v_place.x * 2.0 - 1.0) * u_room.x, 1.0 - v_place.y * 2.0) - u_spot.xy;
  float spot = 1.0 + u_spot.w * (exp(-dot(p, p) / (u_spot.z * u_spot.z)) * 1.5 - 0.75);
  o_color = vec4(clamp(color * u_wall.rgb * spot, 0.0, 1.0), 0.0);
  o_rest = o_color;
}
