// TFLite_Detection_PostProcess, last step: boxes, classes, scores and their number, four detections per invocation.
// Unused entries are zero.
//   FAST   writes a box once for each of its best classes
#define USES_A
#define USES_B
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor corners_t;
  Tensor scores_t;
  Tensor chosen_t;
  Tensor boxes_t;
  Tensor classes_t;
  Tensor out_scores_t;
  Tensor number_t;
  ivec4 counts;  // classes per box, maximum number of these, first class among the scores, classes
};

#ifdef FAST
float score_of(int n, int c) {
  int channel = counts.z + c;
  return real(scores_t, load_b(scores_t.place.x + channel / 4 * scores_t.place.z + n))[channel % 4];
}

// The class of box `n` with `rank` better, or equal and earlier, classes.
int class_at(int n, int rank) {
  int found = -1;
  float bound = 0.0;
  for (int r = 0; r <= rank; ++r) {
    int next = -1;
    float best = 0.0;
    for (int c = 0; c < counts.w; ++c) {
      float score = score_of(n, c);
      bool after = found < 0 || score < bound || (score == bound && c > found);
      if (after && (next < 0 || score > best)) {
        next = c;
        best = score;
      }
    }
    found = next;
    bound = best;
  }
  return found;
}
#endif

void main() {
  int slice = INVOCATION_X;
  if (slice >= classes_t.place.y) return;
  vec4 classes = vec4(0.0), scores = vec4(0.0);
  for (int lane = 0; lane < 4; ++lane) {
    int at = 4 * slice + lane;
    if (at >= classes_t.size.z) break;
    vec4 box = vec4(0.0);
#ifdef FAST
    int rank = at % counts.x;
    int entry = at / counts.x;
#else
    int entry = at;
#endif
    vec4 chosen = entry < chosen_t.place.z ? load_a(chosen_t.place.x + entry) : vec4(0.0);
    int n = int(chosen.x);
#ifdef FAST
    if (chosen.w != 0.0 && rank < counts.y) {
      int c = class_at(n, rank);
      classes[lane] = float(c);
      scores[lane] = score_of(n, c);
      box = load_a(corners_t.place.x + n);
    }
#else
    if (chosen.w != 0.0) {
      classes[lane] = chosen.z;
      scores[lane] = chosen.y;
      box = load_a(corners_t.place.x + n);
    }
#endif
    store(boxes_t.place.x + at, box);
  }
  store(classes_t.place.x + slice, classes);
  store(out_scores_t.place.x + slice, scores);
  if (slice != 0) return;
  float number = 0.0;
  for (int i = 0; i < chosen_t.place.z; ++i) number += load_a(chosen_t.place.x + i).w;
  store(number_t.place.x, vec4(number, 0.0, 0.0, 0.0));
}
