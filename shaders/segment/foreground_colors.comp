// Foreground colors at the reduced size, premultiplied by opacity. The narrow blur of the estimate results from the
// size of these texels and the smooth upsampling that follows.
#include "gl/compute.h"
#include "segment/foreground.glsl"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_front;  // split_colors.comp
layout(binding = kFrontColorsUnit) uniform sampler2D u_wide_front;  // the same after the wide blur
layout(binding = kBehindColorsUnit) uniform sampler2D u_wide_behind;
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;
layout(rgba16f, binding = 1) readonly uniform highp image2D u_behind;

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  vec2 place = (vec2(position) + 0.5) / vec2(size);
  vec4 front = texelFetch(u_front, position, 0);
  vec3 mixed = front.rgb + imageLoad(u_behind, position).rgb;
  vec3 color = foreground_color(mixed, front.a, mean_color(textureLod(u_wide_front, place, 0.0)),
                                mean_color(textureLod(u_wide_behind, place, 0.0)));
  // With the minimum weight, pixels whose own texels contain no foreground get the wide estimate.
  float weight = max(front.a, 1.0 / 256.0);
  imageStore(u_output, position, vec4(color * weight, weight));
}
