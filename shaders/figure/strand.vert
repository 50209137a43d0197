// One instance is a hair: a ribbon along a curve (gst_plugin/figure/strands.h) that faces the camera. A hair thinner
// than a pixel is drawn one pixel wide and correspondingly more transparent.
#include "figure/figure_block.glsl"
#include "figure/noise.glsl"
#include "figure/hair.glsl"
#include "figure/strands.h"

layout(std140, binding = kListBinding) uniform Strands {
  vec4 u_strands[4 * kMostStrands];
};

out vec3 v_place, v_along;
out float v_cover, v_shade;

vec3 curve(mat4 points, float t) {
  float s = 1.0 - t;
  return (points * vec4(s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t)).xyz;
}

bool is_bare(vec3 root, bool scalp) {
  vec3 p = head_place(root);
  bool under_hat = (u_headwear.w == 1.0 || u_headwear.w == 2.0) && p.y > 0.2;
  return under_hat || scalp && hair_line(p) < 0.06;
}

void main() {
  int strand = gl_InstanceID / kHairsPerStrand, hair = gl_InstanceID % kHairsPerStrand;
  mat4 points = mat4(u_strands[strand * 4], u_strands[strand * 4 + 1], u_strands[strand * 4 + 2], u_strands[strand * 4 + 3]);
  float radius = points[0].w, own = points[2].w;
  bool bare = is_bare(points[0].xyz, points[1].w > 0.5);
  vec4 dice = white(ivec2(strand, hair), 5), more = white(ivec2(strand, hair), 6);
  vec3 aside = (dice.xyz - 0.5) * 2.0;
  float reach = length(points[3].xyz - points[0].xyz);
  points[0].xyz += 0.12 * reach * aside;
  points[1].xyz += 0.15 * reach * aside;
  points[2].xyz += 0.2 * reach * (more.xyz - 0.5);
  points[3].xyz += 0.45 * reach * (more.zyx - 0.5);

  float t = float(gl_VertexID >> 1) / float(kStrandSegments) * mix(0.6, 1.0, dice.w);
  v_place = curve(points, t);
  v_along = normalize(curve(points, t + 0.02) - curve(points, t - 0.02));
  v_shade = mix(0.75, 1.15, fract(own + more.w));
  vec4 here = u_clip * vec4(v_place, 1.0), ahead = u_clip * vec4(v_place + v_along * 0.002, 1.0);
  vec2 pixels = 0.5 * u_fine.zw;  // from the frame center to its border
  vec2 way = (ahead.xy / ahead.w - here.xy / here.w) * pixels;
  vec2 across = dot(way, way) > 1e-12 ? normalize(vec2(-way.y, way.x)) : vec2(1.0, 0.0);
  float scale = length(vec3(u_clip[0].y, u_clip[1].y, u_clip[2].y)) * pixels.y / here.w;
  float width = 2.0 * radius * (1.0 - 0.6 * t) * scale, drawn = max(width, 1.0);
  v_cover = width / drawn;
  float side = float(gl_VertexID & 1) - 0.5;
  here.xy += across * (side * drawn) / pixels * here.w;
  gl_Position = bare ? vec4(2.0, 2.0, 2.0, 1.0) : here;
}
