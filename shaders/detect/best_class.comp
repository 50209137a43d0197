// Finds the best class and its score for every box of a single-shot detector.
#include "detect/ssd_block.glsl"
#include "gl/compute.h"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Scores { float b_scores[]; };
layout(std430, binding = 1) writeonly buffer Best { vec2 b_best[]; };  // score, class

void main() {
  int box = int(gl_GlobalInvocationID.x);
  if (box >= u_boxes.x) return;
  int first = box * u_classes.x;
  int best_class = u_classes.y;
  float best = b_scores[first + best_class];
  for (int c = best_class + 1; c < u_classes.x; ++c) {
    float score = b_scores[first + c];
    if (score > best) {
      best = score;
      best_class = c;
    }
  }
  if (u_classes.z != 0) best = 1.0 / (1.0 + exp(-clamp(best, -u_limits.z, u_limits.z)));
  b_best[box] = vec2(best, float(best_class));
}
