// Boxes with the names of what is in them, by number of the class. The shader that includes this declares before
//   layout(binding = …) uniform highp usampler2D u_labels;  // gst_plugin/draw/label_table.h
#include "draw/primitive.glsl"

const int kLabelTexels = 32, kLabelRows = 1024;  // of u_labels: a label's length and its glyphs; labels in a column
const int kMostLabelCharacters = 24;
const int kScoreCharacters = 5;  // " 100%"
// Primitives of a labelled box: its outline, the label's background, the characters.
const int kLabelledBox = 2 + kMostLabelCharacters + kScoreCharacters;

// What the table says of this class; its length is where `texel` is 0. Classes beyond the table have no name.
int label_texel(int class_number, int texel) {
  ivec2 at = ivec2(class_number / kLabelRows * kLabelTexels + texel, class_number % kLabelRows);
  ivec2 size = textureSize(u_labels, 0);
  return class_number >= 0 && at.x < size.x && at.y < size.y ? int(texelFetch(u_labels, at, 0).r) : 0;
}

int percent_of(float score) { return clamp(int(round(score * 100.0)), 0, 100); }
int digits_of(int percent) { return percent < 10 ? 1 : percent < 100 ? 2 : 3; }
int labelled_score_length(int class_number, float score) {
  return label_texel(class_number, 0) + 2 + digits_of(percent_of(score));
}
// The character at `i` of "name 87%", as a glyph; 0, the space, beyond its end.
int labelled_score_glyph(int class_number, float score, int i) {
  int name = label_texel(class_number, 0);
  if (i < name) return label_texel(class_number, 1 + i);
  int percent = percent_of(score), digits = digits_of(percent), at = i - name;  // at 0 is the space
  int behind = digits - at;
  int digit = percent / (behind == 2 ? 100 : behind == 1 ? 10 : 1) % 10;
  if (at >= 1 && behind >= 0) return 16 + digit;  // the digits' glyphs begin at 16
  return behind == -1 ? 5 : 0;
}

// The primitive `i` of kLabelledBox that together show a box, in pixels, its class and score. The label lies on the
// box, or in it where the picture, of this width, ends. `height` is that of a line of text.
Primitive labelled_box(int i, vec4 box, int class_number, float score, float height, vec4 color, float width) {
  float radius = max(height / 16.0, 0.75);
  if (i == 0) return outline(box, radius, color);
  float advance = height * 0.5;
  vec2 size = vec2(advance * (float(labelled_score_length(class_number, score)) + 0.5), height);
  vec2 corner = vec2(max(min(box.x - radius, width - size.x), 0.0), box.y - radius - height);
  if (corner.y < 0.0) corner.y = max(box.y + radius, 0.0);
  if (i == 1) return rectangle(vec4(corner, corner + size), radius, color);
  int character = i - 2;
  int glyph = labelled_score_glyph(class_number, score, character);
  if (glyph == 0) return invisible();
  vec2 at = corner + vec2(advance * (float(character) + 0.25), 0.0);
  // Black or white, whichever is read better on the colour (weights of ITU-R BT.709).
  float light = dot(color.rgb, vec3(0.2126, 0.7152, 0.0722));
  vec4 ink = vec4(vec3(light > 0.45 ? 0.0 : 1.0), color.a);
  return Primitive(vec4(at, at + vec2(advance, height)), ink, height * 0.0375, kGlyph, glyph, 0.0);
}
Primitive labelled_box(int i, vec4 box, int class_number, float score, float height, vec4 color) {
  return labelled_box(i, box, class_number, score, height, color, 1e9);
}
