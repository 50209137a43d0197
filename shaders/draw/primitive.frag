// The coverage of the pixel by the primitive, from the distance of the pixel center to its edge.
#include "draw/primitive.h"
#include "draw/shaders.h"

layout(binding = kTextUnit) uniform highp sampler2D u_text;  // gst_plugin/draw/text_atlas.h

in vec2 v_place;
flat in vec4 v_ends;
flat in vec4 v_color;
flat in float v_radius;
flat in ivec2 v_kind_and_text;

layout(location = 0) out vec4 o_color;

// Distance to the box with rounded corners, below 0 inside.
float box_distance(vec2 place, vec2 half_size, float corner) {
  vec2 beyond = abs(place) - half_size + corner;
  return length(max(beyond, 0.0)) + min(max(beyond.x, beyond.y), 0.0) - corner;
}

float line_distance() {
  vec2 along = v_ends.zw - v_ends.xy, at = v_place - v_ends.xy;
  float length_squared = dot(along, along);
  float share = length_squared > 0.0 ? clamp(dot(at, along) / length_squared, 0.0, 1.0) : 0.0;
  return length(at - along * share) - v_radius;
}

float text_coverage() {
  vec2 corner = vec2(float(v_kind_and_text.y & 0xffff), float(v_kind_and_text.y >> 16));
  vec2 texel = corner + (v_place - v_ends.xy) * v_radius;
  return textureLod(u_text, texel / vec2(textureSize(u_text, 0)), 0.0).r;
}

float shape_coverage() {
  vec2 middle = 0.5 * (v_ends.xy + v_ends.zw), half_size = 0.5 * abs(v_ends.zw - v_ends.xy);
  vec2 at = v_place - middle;
  if (v_kind_and_text.x == PrimitiveKind_kRectangle) {
    return clamp(0.5 - box_distance(at, half_size, min(v_radius, min(half_size.x, half_size.y))), 0.0, 1.0);
  }
  bool line = v_kind_and_text.x == PrimitiveKind_kLine;
  float d = line ? line_distance() : abs(box_distance(at, half_size, 0.0)) - v_radius;
  // A line thinner than a pixel covers at most its width of it.
  return min(clamp(0.5 - d, 0.0, 1.0), 2.0 * v_radius);
}

void main() {
  float coverage = v_kind_and_text.x == PrimitiveKind_kText ? text_coverage() : shape_coverage();
  o_color = vec4(v_color.rgb, v_color.a * coverage);
}
