// One instance is the surface between two rings: a grid of AROUND × ALONG cells on a Catmull-Rom curve through adjacent
// rings (gst_plugin/figure/lofts.h). MOVED 1: positions hair and headscarves.
#include "figure/figure_block.glsl"
#if MOVED == 1
#include "figure/noise.glsl"
#include "figure/hair.glsl"
#endif

layout(std140, binding = kListBinding) uniform Rings {
  vec4 u_rings[3 * kMostRings];  // three per ring: center, exponent; u, material; v, length
};

out vec3 v_place, v_normal, v_along;
out vec2 v_cloth;  // angle, length along the loft
flat out int v_material;

vec4 ring_part(int ring, int part) { return u_rings[ring * 3 + part]; }

void main() {
  int ring = gl_InstanceID;
  int material = int(ring_part(ring, 1).w);
  v_material = material;
  gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  v_place = v_normal = v_along = vec3(0.0);
  v_cloth = vec2(0.0);
  if (material < 0) return;
  int before = ring > 0 && ring_part(ring - 1, 1).w >= 0.0 ? ring - 1 : ring;
  int after = ring_part(ring + 1, 1).w >= 0.0 ? ring + 2 : ring + 1;

  float t = float(gl_VertexID / (AROUND + 1)) / float(ALONG);
  float angle = float(gl_VertexID % (AROUND + 1)) * (6.2831853 / float(AROUND));
  float t2 = t * t, t3 = t2 * t;
  vec4 weights = 0.5 * vec4(-t3 + 2.0 * t2 - t, 3.0 * t3 - 5.0 * t2 + 2.0, -3.0 * t3 + 4.0 * t2 + t, t3 - t2);
  vec4 slopes = 0.5 * vec4(-3.0 * t2 + 4.0 * t - 1.0, 9.0 * t2 - 10.0 * t, -9.0 * t2 + 8.0 * t + 1.0, 3.0 * t2 - 2.0 * t);
  mat4 centers = mat4(ring_part(before, 0), ring_part(ring, 0), ring_part(ring + 1, 0), ring_part(after, 0));
  mat4 us = mat4(ring_part(before, 1), ring_part(ring, 1), ring_part(ring + 1, 1), ring_part(after, 1));
  mat4 vs = mat4(ring_part(before, 2), ring_part(ring, 2), ring_part(ring + 1, 2), ring_part(after, 2));
  vec4 center = centers * weights;
  vec3 u = (us * weights).xyz, v = (vs * weights).xyz;

  vec2 circle = vec2(cos(angle), sin(angle));
  vec2 rounded = sign(circle) * pow(max(abs(circle), vec2(1e-4)), vec2(center.w));
  vec2 facing = sign(circle) * pow(max(abs(circle), vec2(1e-4)), vec2(2.0 - center.w));
  vec3 out_of_center = u * rounded.x + v * rounded.y;
  vec3 around = v * facing.x - u * facing.y;
  vec3 along = (centers * slopes).xyz + (us * slopes).xyz * rounded.x + (vs * slopes).xyz * rounded.y;
  vec3 normal = cross(around, along);
  normal = dot(normal, normal) > 1e-16 ? normalize(normal) : normalize(along + vec3(1e-6));
  if (dot(normal, out_of_center) < 0.0) normal = -normal;

  vec3 place = center.xyz + out_of_center;
#if MOVED == 1
  if (material == Material_kScalp || material == Material_kHair) {
    vec3 p = head_place(place);
    float lift = 1.0;
    if (material == Material_kScalp) {
      // Combed back from the forehead, unless a fringe hangs into it; flat under hats.
      lift = smoothstep(0.0, p.z > 0.0 ? mix(0.5, 0.14, min(1.0, u_hair_shape.w * 3.0)) : 0.16, hair_line(p));
      if (wears(Headwear_kCap) || wears(Headwear_kBeanie)) lift *= 1.0 - smoothstep(0.2, 0.36, p.y);
      place -= normal * ((1.0 - lift) * (u_hair_shape.y + 0.07) / u_head[0].w);
    }
    float locks = bumps(p.xy * 5.0 + p.z * 3.7, 11) + 0.6 * bumps(p.zy * 9.0 - p.x * 5.1, 12) - 0.8;
    place += normal * (lift * u_hair_shape.z * locks / u_head[0].w);
  } else if (material == Material_kHeadwear && wears(Headwear_kScarf)) {
    place -= normal * ((1.0 - smoothstep(0.0, 0.14, cloth_line(head_place(place)))) * 0.15 / u_head[0].w);
  }
#endif
  v_place = place;
  v_normal = normal;
  v_along = along;
  v_cloth = vec2(angle, (vs * weights).w);
  gl_Position = u_clip * vec4(place, 1.0);
}
