// Converts the image output of a model to colors.
//   MAP   one value per pixel, mapped from the minimum and maximum to a color map; otherwise R G B (A)
#include "gl/compute.h"
#include "infer/decoder.h"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Numbers { float b_numbers[]; };
#ifdef MAP
layout(std430, binding = 1) readonly buffer Range { vec4 b_range; };
#endif
layout(rgba8, binding = 0) writeonly uniform highp image2D u_result;
layout(std140, binding = kParamsBinding) uniform Params {
  ivec4 u_size;    // width, height, values per pixel, ColorMap
  vec4 u_scale;    // scale and offset of values; 1 reverses the map; 0
};

#ifdef MAP
// Anton Mikhailov's polynomials for the color map Turbo.
vec3 turbo(float x) {
  vec4 v = vec4(1.0, x, x * x, x * x * x);
  vec2 w = v.zw * v.z;
  return vec3(dot(v, vec4(0.13572138, 4.61539260, -42.66032258, 132.13108234)) + dot(w, vec2(-152.94239396, 59.28637943)),
              dot(v, vec4(0.09140261, 2.19418839, 4.84296658, -14.18503333)) + dot(w, vec2(4.27729857, 2.82956604)),
              dot(v, vec4(0.10667330, 12.64194608, -60.58204836, 110.36276771)) + dot(w, vec2(-89.90310912, 27.34824973)));
}
#endif

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  if (pixel.x >= u_size.x) return;
  int at = (pixel.y * u_size.x + pixel.x) * u_size.z;
#ifdef MAP
  float x = clamp((b_numbers[at] - b_range.x) / max(b_range.y - b_range.x, 1e-20), 0.0, 1.0);
  if (u_scale.z > 0.5) x = 1.0 - x;
  vec4 color = vec4(u_size.w == ColorMap_kTurbo ? turbo(x) : vec3(x), 1.0);
#else
  vec3 rgb = vec3(b_numbers[at], b_numbers[at + 1], b_numbers[at + 2]);
  vec4 color = vec4(rgb * u_scale.x + u_scale.y, 1.0);
#endif
  imageStore(u_result, pixel, clamp(color, 0.0, 1.0));
}
