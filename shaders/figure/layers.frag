// The camera image of people, of the rest, or of both mixed by alpha, and the mask. Alpha has the softness of the
// camera, the mask does not.
#include "figure/camera.glsl"
#include "figure/shaders.h"

layout(binding = kSceneSumUnit) uniform highp usampler2D u_scene_sum;  // A: fraction of the pixel that people cover
layout(binding = kRestSumUnit) uniform highp usampler2D u_rest_sum;    // the same with black people

uniform int u_output;    // Output
uniform float u_scale;   // from sums to [0,1]

in vec2 v_place;
layout(location = 0) out vec4 o_picture;
layout(location = 1) out vec4 o_mask;

struct Layers {
  vec4 scene;
  vec3 rest;
};

Layers at(ivec2 pixel) {
  pixel = clamp(pixel, ivec2(0), textureSize(u_scene_sum, 0) - 1);
  return Layers(vec4(texelFetch(u_scene_sum, pixel, 0)) * u_scale, vec3(texelFetch(u_rest_sum, pixel, 0).rgb) * u_scale);
}

// Adds the pixel at `distance` along an axis.
void add(inout Layers sum, ivec2 pixel, ivec2 axis, float distance, float weight) {
  int whole = int(floor(distance));
  float part = distance - float(whole);
  Layers near = at(pixel + axis * whole), far = at(pixel + axis * (whole + 1));
  sum.scene += weight * mix(near.scene, far.scene, part);
  sum.rest += weight * mix(near.rest, far.rest, part);
}

Layers softened(Layers here, ivec2 pixel) {
  Layers sum = Layers(here.scene * 0.4, here.rest * 0.4);
  for (int way = 0; way < 4; ++way) {
    add(sum, pixel, way < 2 ? ivec2(1, 0) : ivec2(0, 1), (way & 1) == 0 ? u_room.z : -u_room.z, 0.15);
  }
  return sum;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  Layers layers = at(pixel);
  float mask = layers.scene.a;
  o_mask = vec4(mask, 0.0, 0.0, 1.0);
  if (u_room.z > kLeastSoftness) layers = softened(layers, pixel);
  float alpha = layers.scene.a;
  vec3 people = max(layers.scene.rgb - layers.rest, 0.0);
  vec3 foreground = alpha > 0.0 ? photographed(min(people / alpha, 1.0), v_place) : vec3(0.0);
  vec3 background = alpha < 1.0 ? photographed(min(layers.rest / (1.0 - alpha), 1.0), v_place) : vec3(0.0);
  vec3 shown = mix(background, foreground, alpha);
  if (u_output == Output_kMask) shown = vec3(mask);
  if (u_output == Output_kAlpha) shown = vec3(alpha);
  if (u_output == Output_kForeground) shown = foreground;
  if (u_output == Output_kBackground) shown = background;
  o_picture = vec4(shown, 1.0);
}
