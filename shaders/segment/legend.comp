// The names of visible classes, each next to its color, on a dark panel in the lower left corner.
#include "gl/compute.h"
#include "segment/mask_model.h"
#include "segment/shaders.h"
layout(local_size_x = kGroupInvocations) in;
#include "draw/labels.glsl"
#include "draw/palette.glsl"
layout(std430, binding = kLegendSeenBinding) buffer Seen {
  uint b_seen[kMaxMaskClasses];  // reset to zero for the next frame
};
layout(std430, binding = kPrimitivesBinding) writeonly buffer Primitives { Primitive b_primitives[]; };
layout(std140, binding = kParamsBinding) uniform Legend {
  vec4 u_frame;      // frame height in pixels, 0, 0, 0
  ivec4 u_counting;  // minimum number of pixels of a visible class
};

void main() {
  int classes[kLegendRows];
  int rows = 0, longest = 0;
  for (int c = 0; c < kMaxMaskClasses && rows < kLegendRows; ++c) {
    if (b_seen[c] < uint(u_counting.x)) continue;
    classes[rows++] = c;
    longest = max(longest, label_of_class(c).width);
  }
  memoryBarrierBuffer();
  barrier();  // all invocations have read what they will reset
  for (int c = int(gl_LocalInvocationID.x); c < kMaxMaskClasses; c += kGroupInvocations) b_seen[c] = 0u;

  int i = int(gl_LocalInvocationID.x), row = (i - 1) / kPerLegendRow;
  if (i >= kLegendPrimitives) return;
  float height = b_label_height, margin = round(0.5 * height);
  vec2 corner = vec2(margin, u_frame.x - margin - float(rows) * height);
  Primitive primitive = invisible();
  if (i == 0 && rows > 0) {
    vec2 size = vec2(1.4 * height + float(longest), float(rows) * height);
    primitive = rectangle(vec4(corner, corner + size), 0.2 * height, vec4(0.0, 0.0, 0.0, 0.6));
  } else if (i > 0 && row < rows) {
    vec2 at = corner + vec2(0.25 * height, float(row) * height);
    if ((i - 1) % kPerLegendRow == 0) {
      vec2 inset = vec2(0.0, 0.2 * height);
      primitive = rectangle(vec4(at + inset, at + inset + 0.6 * height), 0.1 * height, class_color(classes[row]));
    } else {
      primitive = text(label_of_class(classes[row]), at + vec2(0.85 * height, 0.0), vec4(1.0));
    }
  }
  b_primitives[i] = primitive;
}
