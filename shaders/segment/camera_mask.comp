// The mask of what the camera shows.
#include "gl/compute.h"
#include "segment/camera.glsl"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = kMaskUnit) uniform sampler2D u_mask;
layout(std430, binding = kCameraBlock) readonly buffer Camera { CAMERA; };
layout(rgba8, binding = 0) writeonly uniform highp image2D u_output;
layout(std140, binding = kParamsBinding) uniform Params {
  vec4 u_to_mask[2];  // rows of the map from the upright frame to the mask
};

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  vec2 size = vec2(imageSize(u_output));
  if (any(greaterThanEqual(vec2(position), size))) return;
  vec2 at = mix(camera_part.xy, camera_part.zw, (vec2(position) + 0.5) / size);
  at = vec2(dot(u_to_mask[0].xyz, vec3(at, 1.0)), dot(u_to_mask[1].xyz, vec3(at, 1.0)));
  bool inside = all(greaterThanEqual(at, vec2(0.0))) && all(lessThanEqual(at, vec2(1.0)));
  imageStore(u_output, position, vec4(inside ? textureLod(u_mask, at, 0.0).r : 0.0, 0.0, 0.0, 1.0));
}
