// How much of the pixel the primitive covers, by the distance of the pixel's middle from its edge.
layout(binding = 0) uniform sampler2D u_font;  // draw/font.h

in vec2 v_place;
flat in vec4 v_ends;
flat in vec4 v_color;
flat in float v_radius;
flat in ivec2 v_kind_and_glyph;

layout(location = 0) out vec4 o_color;

const int kLine = 0, kOutline = 1, kRectangle = 2;
const vec2 kCells = vec2(16.0, 6.0);  // of the font's texture
const float kCellHeight = 12.0;       // grid units
const float kReach = 1.5;             // grid units that the texture's range stands for, on either side

// Distance from the box with rounded corners, below 0 inside.
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

// The font has distances from the strokes' middle lines.
float glyph_distance() {
  vec2 size = v_ends.zw - v_ends.xy;
  vec2 at = clamp((v_place - v_ends.xy) / size, 0.0, 1.0);
  vec2 cell = vec2(float(v_kind_and_glyph.y % int(kCells.x)), float(v_kind_and_glyph.y / int(kCells.x)));
  float units = (textureLod(u_font, (cell + at) / kCells, 0.0).r * 2.0 - 1.0) * kReach;
  return units * abs(size.y) / kCellHeight - v_radius;
}

void main() {
  vec2 middle = 0.5 * (v_ends.xy + v_ends.zw), half_size = 0.5 * abs(v_ends.zw - v_ends.xy);
  vec2 at = v_place - middle;
  float d;
  if (v_kind_and_glyph.x == kLine) {
    d = line_distance();
  } else if (v_kind_and_glyph.x == kOutline) {
    d = abs(box_distance(at, half_size, 0.0)) - v_radius;
  } else if (v_kind_and_glyph.x == kRectangle) {
    d = box_distance(at, half_size, min(v_radius, min(half_size.x, half_size.y)));
  } else {
    d = glyph_distance();
  }
  // Lines thinner than a pixel cover no more than their width of it.
  float coverage = clamp(0.5 - d, 0.0, 1.0);
  if (v_kind_and_glyph.x != kRectangle) coverage = min(coverage, 2.0 * v_radius);
  o_color = vec4(v_color.rgb, v_color.a * coverage);
}
