// TFLite_Detection_PostProcess, first step: the corners of every box, and its best class if one class per box is kept.
//   FAST   also writes the best score and its class
#define USES_A
#define USES_B
#define WRITES_OUTPUT
#define USES_CONSTANTS
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor boxes_t;   // encoded y, x, height, width, and further box values
  Tensor scores_t;
  Tensor corners_t;
  Tensor best_t;    // score, class
  vec4 scales;      // of y, x, height, width
  ivec4 layout_;    // anchors (in vec4), first class among the scores, classes, 0
};

void main() {
  int n = INVOCATION_X;
  if (n >= corners_t.place.z) return;
  vec4 code = real(boxes_t, load_a(boxes_t.place.x + n)) / scales;
  vec4 anchor = load_bias(layout_.x + n);
  vec2 center = code.xy * anchor.zw + anchor.xy;
  vec2 half_size = 0.5 * exp(code.zw) * anchor.zw;
  store(corners_t.place.x + n, vec4(center - half_size, center + half_size));
#ifdef FAST
  float best = 0.0;
  int best_class = -1;
  for (int c = 0; c < layout_.z; ++c) {
    int channel = layout_.y + c;
    float score = real(scores_t, load_b(scores_t.place.x + channel / 4 * scores_t.place.z + n))[channel % 4];
    if (best_class < 0 || score > best) {
      best = score;
      best_class = c;
    }
  }
  store(best_t.place.x + n, vec4(best, float(best_class), 0.0, 0.0));
#endif
}
