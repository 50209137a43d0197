// Changes colors as segment/grade.comp has found. Colors are as encoded. Black stays black, white stays white unless the
// light is colored, and nothing in between is clipped.
#include "gl/compute.h"
#include "segment/grade.glsl"

layout(std140, binding = kParamsBinding) uniform Grade { GRADE; };
layout(binding = kQuietUnit) uniform sampler2D u_quiet;  // segment/denoise.comp

vec3 without_noise(vec3 color, vec2 place) {
  if (grade_light.y == 0.0) return color;
  ivec2 size = textureSize(u_quiet, 0);
  ivec2 position = clamp(ivec2(place * vec2(size)), ivec2(0), size - 1);
  return mix(color, texelFetch(u_quiet, position, 0).rgb, grade_light.y);
}

// Keeps hue and saturation.
vec3 lifted(vec3 color) {
  float gain = grade_light.x;
  return color * (gain / (1.0 + (gain - 1.0) * max(max(color.r, color.g), color.b)));
}

vec3 matched(vec3 color) {
  if (grade_gains.a == 0.0) return color;
  vec3 balanced = pow(clamp(color * grade_gains.rgb, 1e-4, 1.0), vec3(grade_gains.a));
  return balanced + 4.0 * grade_tone.y * (balanced - grade_tone.x) * balanced * (1.0 - balanced);
}
