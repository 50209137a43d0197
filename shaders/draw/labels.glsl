// Text by index: class labels, percentages and numbers. Labeled boxes.
#include "draw/label_table.h"
#include "draw/primitive.glsl"

struct Label {
  int text;   // position in the atlas, as in Primitive
  int width;  // pixels; 0 if invisible
};

layout(std430, binding = kLabelsBinding) readonly buffer Labels {
  float b_label_height;  // pixels
  float b_label_scale;   // texels per pixel
  float b_unused[2];
  Label b_labels[];
};

Label label_at(int i) {
  if (i < 0 || i >= b_labels.length()) return Label(0, 0);
  return b_labels[i];
}
Label label_of_score(float score) { return label_at(clamp(int(round(score * 100.0)), 0, kMostPercent)); }
// Classes beyond the table have no label.
Label label_of_class(int number) { return number < 0 ? Label(0, 0) : label_at(kFirstClass + number); }

// Whole pixels keep text sharp.
Primitive text(Label label, vec2 corner, vec4 color) {
  vec2 at = round(corner), size = vec2(float(label.width), b_label_height);
  return Primitive(vec4(at, at + size), color, b_label_scale, PrimitiveKind_kText, label.text, 0.0);
}

float label_margin() { return round(0.25 * b_label_height); }
float score_place(int class_number) {  // x offset of the score in the line
  Label name = label_of_class(class_number);
  return name.width > 0 ? float(name.width) + label_margin() : 0.0;
}
// Width of the plate; 0 without any text.
float labelled_score_width(int class_number, float score) {
  float width = score_place(class_number) + float(label_of_score(score).width);
  return width > 0.0 ? width + 2.0 * label_margin() : 0.0;
}
// Primitive `i` of the kLabelledScore ones that show the line "name 87%" on a plate, after a space of that width.
Primitive labelled_score(int i, vec2 corner, float space, int class_number, float score, float radius, vec4 plate,
                         vec4 ink) {
  float width = labelled_score_width(class_number, score);
  if (width == 0.0) return invisible();
  if (i == 0) return rectangle(vec4(corner, corner + vec2(space + width, b_label_height)), radius, plate);
  corner.x += space + label_margin();
  if (i == 1) return text(label_of_class(class_number), corner, ink);
  return text(label_of_score(score), corner + vec2(score_place(class_number), 0.0), ink);
}

// Digit `i` of a number, the most significant first; -1: it has fewer. Unsigned: virglrenderer 0.10 mistranslates
// signed division.
int digit_of(int number, int i) {
  uint last[kMostDigits];
  uint rest = uint(max(number, 0));
  int count = 0;
  for (int k = 0; k < kMostDigits; ++k) {
    last[k] = rest % 10u;
    rest /= 10u;
    if (last[k] != 0u || k == 0) count = k + 1;
    if (rest != 0u) count = k + 1;
  }
  return i < count ? int(last[count - 1 - i]) : -1;
}
// Text `i` of the kNumberTexts ones that show "#12", and its x offset.
Label label_of_number(int number, int i) {
  if (i == 0) return label_at(kNumberSign);
  int digit = digit_of(number, i - 1);
  return digit < 0 ? Label(0, 0) : label_at(kFirstDigit + digit);
}
float number_place(int number, int i) {
  float place = 0.0;
  for (int k = 0; k < i; ++k) place += float(label_of_number(number, k).width);
  return place;
}

float number_width(int number) { return number > 0 ? number_place(number, kNumberTexts) + label_margin() : 0.0; }
// The number 0 is not shown.
vec2 label_size(int number, int class_number, float score) {
  return vec2(number_width(number) + labelled_score_width(class_number, score), b_label_height);
}
float box_radius() { return max(b_label_height / 16.0, 0.75); }

// Place 0 to kLabelPlaces - 1 of a label of this size at a box, in pixels of a picture of that size: its upper left corner,
// in whole pixels; 1 if it is in the picture. Above the box, inside it at the top, below it, inside it at the bottom; then
// the same at the right edge of the box.
vec3 label_place(int place, vec4 box, vec2 size, vec2 picture) {
  float radius = box_radius();
  int row = place & 3;
  float x = place < 4 ? box.x - radius : box.z + radius - size.x;
  float y = box.y - radius - size.y;
  if (row == 1) y = max(box.y + radius, 0.0);
  if (row == 2) y = box.w + radius;
  if (row == 3) y = min(box.w - radius, picture.y) - size.y;
  bool is_inside = y >= 0.0 && y + size.y <= max(picture.y, size.y) && box.x <= box.z && box.y <= box.w;  // not NaN
  if ((row & 1) == 1) is_inside = is_inside && y < box.w && y + size.y > box.y;  // boxes may be outside
  return vec3(round(vec2(max(min(x, picture.x - size.x), 0.0), y)), is_inside ? 1.0 : 0.0);
}

// Primitive `i` of the kLabelledBox + kNumberTexts ones that show a box (in pixels), its number, its class and its
// score, at a place of label_place(). A number of 0 needs only the first kLabelledBox ones.
Primitive labelled_box(int i, vec4 box, vec3 place, int number, int class_number, float score, vec4 color) {
  float radius = box_radius();
  if (i == 0) return outline(box, radius, color);
  if (place.z == 0.0) return invisible();
  // Black or white, whichever is more readable on the color (weights of ITU-R BT.709).
  float light = dot(color.rgb, vec3(0.2126, 0.7152, 0.0722));
  vec4 ink = vec4(vec3(light > 0.45 ? 0.0 : 1.0), color.a);
  if (i < kLabelledBox) {
    return labelled_score(i - 1, place.xy, number_width(number), class_number, score, radius, color, ink);
  }
  int digit = i - kLabelledBox;
  if (number <= 0) return invisible();
  return text(label_of_number(number, digit), place.xy + vec2(label_margin() + number_place(number, digit), 0.0), ink);
}
