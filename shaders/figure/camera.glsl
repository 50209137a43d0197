// Camera response to a scene color: exposure, tone curve, grain.
#include "figure/camera_block.glsl"
#include "figure/noise.glsl"

const float kLeastSoftness = 0.05;  // pixels

// `place`: (0,0) to (1,1) across the frame.
vec3 photographed(vec3 color, vec2 place) {
  vec2 from_middle = place * 2.0 - 1.0;
  float vignette = 1.0 - u_noise.w * 0.5 * dot(from_middle, from_middle);
  vec3 light = color * color * u_gain.rgb * vignette;
  light = light * (1.0 + light * 0.3) / (1.0 + light * 0.3 * max(max(u_gain.r, u_gain.g), u_gain.b));
  color = pow(max(light, vec3(0.0)), vec3(0.5 * u_gain.w));
  color = mix(vec3(dot(color, vec3(0.3, 0.59, 0.11))), color, u_room.w);
  if (u_noise.x > 0.0) {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    int seed = int(u_noise.z);
    vec4 a = white(pixel, seed), b = white(pixel.yx, seed / 7 + 11);  // two textures with different periods
    float grain = a.r + b.r - 1.0;
    vec3 tint = 0.5 * (a.gba + b.gba) - 0.5;
    color += (grain * u_noise.x + tint * u_noise.y) * (1.2 - 0.5 * color);
  }
  return clamp(color, 0.0, 1.0);
}
