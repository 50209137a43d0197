// The best classes of the frame as detections that cover all of it. One work group; the order of every sum is fixed,
// and the first of equals comes first.
//   SOFTMAX   values are logits; apply softmax
//   SIGMOID   values are logits; apply the sigmoid to each
#include "detect/detections.glsl"
#include "gl/compute.h"

#define LANES 128
layout(local_size_x = LANES) in;

layout(std430, binding = 0) readonly buffer Scores { float b_scores[]; };
layout(std430, binding = 1) writeonly buffer Results { DETECTIONS; };
layout(std140, binding = kParamsBinding) uniform Params {
  ivec4 u_counts;  // classes, maximum results, first score, 0
  vec4 u_limits;   // minimum score, 0, 0, 0
};

shared float s_number[LANES];
shared int s_class[LANES];

// Whether class `a` with value `x` precedes class `b` with value `y`; -1 is no class.
bool before(int a, float x, int b, float y) { return a >= 0 && (b < 0 || x > y || (x == y && a < b)); }

// Returns the best class after `last` to every lane; -1 if there is none.
int next_best(int lane, int last, float last_number) {
  int best = -1;
  float number = 0.0;
  for (int c = lane; c < u_counts.x; c += LANES) {
    float x = b_scores[u_counts.z + c];
    bool left = last < 0 || before(last, last_number, c, x);
    if (left && c != last && x == x && before(c, x, best, number)) {
      best = c;
      number = x;
    }
  }
  s_class[lane] = best;
  s_number[lane] = number;
  barrier();
  for (int step = LANES / 2; step > 0; step /= 2) {
    if (lane < step && before(s_class[lane + step], s_number[lane + step], s_class[lane], s_number[lane])) {
      s_class[lane] = s_class[lane + step];
      s_number[lane] = s_number[lane + step];
    }
    barrier();
  }
  best = s_class[0];
  barrier();
  return best;
}

#ifdef SOFTMAX
float total_of(int lane, float top) {
  float sum = 0.0;
  for (int c = lane; c < u_counts.x; c += LANES) sum += exp(b_scores[u_counts.z + c] - top);
  s_number[lane] = sum;
  barrier();
  for (int step = LANES / 2; step > 0; step /= 2) {
    if (lane < step) s_number[lane] += s_number[lane + step];
    barrier();
  }
  float total = s_number[0];
  barrier();
  return total;
}
#endif

void main() {
  int lane = int(gl_LocalInvocationID.x);
  int best = next_best(lane, -1, 0.0);
#ifdef SOFTMAX
  float top = best >= 0 ? b_scores[u_counts.z + best] : 0.0;
  float total = total_of(lane, top);
#endif
  int count = 0;
  while (best >= 0 && count < u_counts.y) {
    float number = b_scores[u_counts.z + best];
#if defined(SOFTMAX)
    float score = exp(number - top) / total;
#elif defined(SIGMOID)
    float score = 1.0 / (1.0 + exp(-number));
#else
    float score = number;
#endif
    if (!(score >= u_limits.x)) break;
    if (lane == 0) {
      detections[count].box = vec4(0.0, 0.0, 1.0, 1.0);
      detections[count].score = score;
      detections[count].class_id = best;
      detections[count].points_count = 0;
      detections[count].row = 0;
    }
    ++count;
    best = next_best(lane, best, number);
  }
  if (lane == 0) detections_count = count;
}
