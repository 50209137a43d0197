// The camera image of the scene, and the ground-truth mask. SHOW_MASK 1: outputs the mask instead of the image.
#include "figure/camera.glsl"

layout(binding = 0) uniform sampler2D u_frame;  // color; A: fraction of the pixel that the figure covers

in vec2 v_place;
layout(location = 0) out vec4 o_picture;
layout(location = 1) out vec4 o_mask;

void main() {
  vec4 frame = textureLod(u_frame, v_place, 0.0);
  o_mask = vec4(frame.a, 0.0, 0.0, 1.0);
#if SHOW_MASK == 1
  o_picture = vec4(frame.aaa, 1.0);
#else
  vec3 color = frame.rgb;
  if (u_room.z > kLeastSoftness) {
    vec2 step_size = u_room.z / vec2(textureSize(u_frame, 0));
    color = 0.4 * color + 0.15 * (textureLod(u_frame, v_place + vec2(step_size.x, 0.0), 0.0).rgb +
                                  textureLod(u_frame, v_place - vec2(step_size.x, 0.0), 0.0).rgb +
                                  textureLod(u_frame, v_place + vec2(0.0, step_size.y), 0.0).rgb +
                                  textureLod(u_frame, v_place - vec2(0.0, step_size.y), 0.0).rgb);
  }
  o_picture = vec4(photographed(color, v_place), 1.0);
#endif
}
