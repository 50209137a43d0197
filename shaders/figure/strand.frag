// A single hair; premultiplied.
#include "figure/figure_block.glsl"
#include "figure/light.glsl"

in vec3 v_place, v_along;
in float v_cover, v_shade;
layout(location = 0) out vec4 o_color;
layout(location = 1) out vec4 o_rest;  // all but the figure

void main() {
  vec3 view = normalize(u_eye.xyz - v_place), along = normalize(v_along);
  vec3 normal = normalize(view - along * dot(view, along));  // normal of the hair toward the camera
  float across = dot(along, normalize(u_sun.xyz + view));
  float shine = 0.12 * pow(max(0.0, 1.0 - across * across), 30.0);
  vec3 albedo = mix(u_hair.rgb, u_hair_tip.rgb, 0.4) * v_shade;
  vec3 color = displayed(lit(albedo, normal, view, 1.0, 0.0) + shine * u_sun_color.rgb * u_hair_tip.rgb);
  o_color = vec4(color * v_cover, v_cover);
  o_rest = vec4(0.0, 0.0, 0.0, v_cover);
}
