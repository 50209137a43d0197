// Each instance is a primitive (draw/primitive.glsl), drawn as a strip of four vertices around it.
#include "draw/primitive.h"
#include "draw/shaders.h"

layout(std140, binding = kPictureBinding) uniform Picture {
  vec4 u_pixel;  // xy: 2 / image size
};

layout(location = 0) in vec4 a_ends;
layout(location = 1) in vec4 a_color;
layout(location = 2) in float a_radius;
layout(location = 3) in ivec2 a_kind_and_text;

out vec2 v_place;  // pixels
flat out vec4 v_ends;
flat out vec4 v_color;
flat out float v_radius;
flat out ivec2 v_kind_and_text;

void main() {
  v_ends = a_ends;
  v_color = a_color;
  v_radius = a_radius;
  v_kind_and_text = a_kind_and_text;
  float sum = dot(a_ends, vec4(1.0)) + a_radius;
  if (!(a_radius > 0.0) || isnan(sum) || isinf(sum)) {
    v_place = vec2(0.0);
    gl_Position = vec4(2.0, 2.0, 0.0, 1.0);  // all four at one position, outside
    return;
  }
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
  vec2 middle = 0.5 * (a_ends.xy + a_ends.zw), half_way = 0.5 * (a_ends.zw - a_ends.xy);
  // Text needs no margin for smooth edges.
  int kind = a_kind_and_text.x;
  float margin = kind == PrimitiveKind_kText ? 0.0 : 1.0 + (kind <= PrimitiveKind_kOutline ? a_radius : 0.0);
  if (kind == PrimitiveKind_kLine) {
    float reach = length(half_way);
    vec2 along = reach > 0.0 ? half_way / reach : vec2(1.0, 0.0);
    vec2 at = corner * (vec2(reach, 0.0) + margin);
    v_place = middle + along * at.x + vec2(-along.y, along.x) * at.y;
  } else {
    v_place = middle + corner * (abs(half_way) + margin);
  }
  gl_Position = vec4(v_place * u_pixel.xy - 1.0, 0.0, 1.0);
}
