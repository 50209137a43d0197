// The primitives of OverlayPainter (gst_plugin/draw/primitive.h), for compute shaders that write them to a block:
//   layout(std430, binding = 1) writeonly buffer Primitives { Primitive b_primitives[]; };
// Every entry of the buffer is drawn in every frame: write unused entries as invisible().
#include "draw/primitive.h"

struct Primitive {
  vec4 ends;   // frame pixels; y points down
  vec4 color;  // not premultiplied
  float radius;
  int kind;    // PrimitiveKind
  int text;    // for kText: top left texel in the atlas, x | y << 16
  float unused;
};

Primitive invisible() { return Primitive(vec4(0.0), vec4(0.0), 0.0, PrimitiveKind_kLine, 0, 0.0); }
Primitive line(vec2 from, vec2 to, float radius, vec4 color) {
  return Primitive(vec4(from, to), color, radius, PrimitiveKind_kLine, 0, 0.0);
}
Primitive disc(vec2 middle, float radius, vec4 color) { return line(middle, middle, radius, color); }
Primitive outline(vec4 box, float radius, vec4 color) {
  return Primitive(box, color, radius, PrimitiveKind_kOutline, 0, 0.0);
}
Primitive rectangle(vec4 box, float radius, vec4 color) {
  return Primitive(box, color, radius, PrimitiveKind_kRectangle, 0, 0.0);
}
