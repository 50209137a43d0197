// The names of the classes that are seen, each by a patch of its colour, on a dark panel in the lower left corner.
#include "gl/compute.h"
layout(local_size_x = kGroupInvocations) in;
layout(binding = 0) uniform highp usampler2D u_labels;
#include "draw/labels.glsl"
#include "draw/palette.glsl"
layout(std430, binding = 0) buffer Seen { uint b_seen[256]; };  // as zeros for the next time
layout(std430, binding = 1) writeonly buffer Primitives { Primitive b_primitives[]; };
layout(std140, binding = kParamsBinding) uniform Legend {
  vec4 u_frame;      // its height; that of a row; both in pixels
  ivec4 u_counting;  // pixels that make a class seen
};

const int kRows = 12;  // at most
const int kPerRow = 1 + kMostLabelCharacters;

void main() {
  int classes[kRows];
  int rows = 0, longest = 0;
  for (int c = 0; c < 256 && rows < kRows; ++c) {
    if (b_seen[c] < uint(u_counting.x)) continue;
    classes[rows++] = c;
    longest = max(longest, label_texel(c, 0));
  }
  barrier();
  for (int c = int(gl_LocalInvocationID.x); c < 256; c += kGroupInvocations) b_seen[c] = 0u;

  float height = u_frame.y, margin = 0.5 * height;
  vec2 corner = vec2(margin, u_frame.x - margin - float(rows) * height);
  for (int i = int(gl_LocalInvocationID.x); i < 1 + kRows * kPerRow; i += kGroupInvocations) {
    int row = (i - 1) / kPerRow, part = (i - 1) % kPerRow;
    Primitive primitive = invisible();
    if (i == 0 && rows > 0) {
      vec2 size = vec2(height * (1.5 + 0.5 * float(longest)), float(rows) * height);
      primitive = rectangle(vec4(corner, corner + size), 0.2 * height, vec4(0.0, 0.0, 0.0, 0.6));
    } else if (i > 0 && row < rows) {
      int number = classes[row];
      vec2 at = corner + vec2(0.25 * height, float(row) * height);
      if (part == 0) {
        vec2 inset = vec2(0.0, 0.2 * height);
        primitive = rectangle(vec4(at + inset, at + inset + 0.6 * height), 0.1 * height, class_color(number));
      } else if (part <= label_texel(number, 0)) {
        int glyph = label_texel(number, part);
        at.x += height * (0.9 + 0.5 * float(part - 1));
        if (glyph != 0) {
          vec4 box = vec4(at, at + vec2(0.5 * height, height));
          primitive = Primitive(box, vec4(1.0), height * 0.0375, kGlyph, glyph, 0.0);
        }
      }
    }
    b_primitives[i] = primitive;
  }
}
