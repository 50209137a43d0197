// Converts the outputs of TFLite_Detection_PostProcess to detections. The outputs share one buffer, because a device
// may not support five storage blocks.
#include "detect/detections.glsl"
#include "gl/compute.h"

layout(local_size_x = 1) in;

layout(std430, binding = 0) readonly buffer Outputs { float b_outputs[]; };
layout(std430, binding = 1) writeonly buffer Results { DETECTIONS; };
layout(std140, binding = kParamsBinding) uniform Params {
  ivec4 u_at;       // offsets of the boxes, classes, scores and their count
  ivec4 u_counts;   // boxes, maximum results, 0, 0
  vec4 u_limits;    // minimum score, 0, 0, 0
  vec4 u_place[2];  // rows of the transform from the model input to the upright frame
};

vec2 to_frame(vec2 at) { return vec2(dot(u_place[0].xyz, vec3(at, 1.0)), dot(u_place[1].xyz, vec3(at, 1.0))); }

void main() {
  int found = clamp(int(b_outputs[u_at.w] + 0.5), 0, u_counts.x);
  int count = 0;
  for (int n = 0; n < found && count < u_counts.y; ++n) {
    float score = b_outputs[u_at.z + n];
    if (!(score >= u_limits.x)) continue;
    int at = u_at.x + 4 * n;  // y before x
    vec2 a = to_frame(vec2(b_outputs[at + 1], b_outputs[at]));
    vec2 b = to_frame(vec2(b_outputs[at + 3], b_outputs[at + 2]));
    detections[count].box = vec4(min(a, b), max(a, b));
    detections[count].score = score;
    detections[count].class_id = int(b_outputs[u_at.y + n] + 0.5);
    detections[count].points_count = 0;
    detections[count].row = 0;
    ++count;
  }
  detections_count = count;
}
