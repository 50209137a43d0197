// TFLite_Detection_PostProcess: non-maximum suppression. A work group repeatedly selects the best box and removes the
// boxes that overlap it; the first of equals wins. With one score per box there is one group, otherwise one per class.
#define USES_A
#define USES_B
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

#define LANES kSearchInvocations
layout(local_size_x = LANES) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor corners_t;
  Tensor scores_t;
  Tensor chosen_t;   // by group and rank: box, score, class, 1 if valid
  ivec4 counts;      // boxes, number to select, first class among the scores, 0
  vec4 thresholds;   // score, intersection over union
};

shared uint running[2048];  // one bit per box; a lane processes words LANES apart
shared float lane_score[LANES];
shared int lane_box[LANES];

float score_of(int n, int channel) {
  return real(scores_t, load_b(scores_t.place.x + channel / 4 * scores_t.place.z + n))[channel % 4];
}

vec4 corners(int n) { return load_a(corners_t.place.x + n); }

bool overlaps(vec4 a, vec4 b) {
  vec2 size_a = a.zw - a.xy, size_b = b.zw - b.xy;
  float area_a = size_a.x * size_a.y, area_b = size_b.x * size_b.y;
  vec2 common_size = max(min(a.zw, b.zw) - max(a.xy, b.xy), 0.0);
  float shared_area = common_size.x * common_size.y;
  return area_a > 0.0 && area_b > 0.0 && shared_area / (area_a + area_b - shared_area) > thresholds.y;
}

void main() {
  int lane = int(gl_LocalInvocationID.x);
  int group = GROUP_Z;
  int channel = counts.z + group;
  int words = (counts.x + 31) / 32;
  for (int w = lane; w < words; w += LANES) {
    uint bits = 0u;
    int last = min(counts.x - 32 * w, 32);
    for (int b = 0; b < last; ++b) {
      if (score_of(32 * w + b, channel) >= thresholds.x) bits |= 1u << uint(b);
    }
    running[w] = bits;
  }

  vec4 winner = vec4(0.0);  // no area: overlaps nothing
  for (int rank = 0; rank < counts.y; ++rank) {
    float best = 0.0;
    int best_box = -1;
    for (int w = lane; w < words; w += LANES) {
      uint bits = running[w];
      for (uint left = bits; left != 0u; left &= left - 1u) {
        int b = findLSB(left);
        int n = 32 * w + b;
        if (overlaps(winner, corners(n))) {
          bits &= ~(1u << uint(b));
          continue;
        }
        float score = score_of(n, channel);
        if (best_box < 0 || score > best) {
          best = score;
          best_box = n;
        }
      }
      running[w] = bits;
    }
    lane_score[lane] = best;
    lane_box[lane] = best_box;
    barrier();
    best_box = -1;
    for (int i = 0; i < LANES; ++i) {
      int n = lane_box[i];
      bool better = best_box < 0 || lane_score[i] > best || (lane_score[i] == best && n < best_box);
      if (n >= 0 && better) {
        best = lane_score[i];
        best_box = n;
      }
    }
    barrier();
    if (best_box >= 0) {
      winner = corners(best_box);
      if (best_box / 32 % LANES == lane) running[best_box / 32] &= ~(1u << uint(best_box % 32));
    }
    if (lane == 0) {
      vec4 entry = best_box >= 0 ? vec4(float(best_box), best, float(group), 1.0) : vec4(0.0);
      store(chosen_t.place.x + group * counts.y + rank, entry);
    }
  }
}
