// PosenetDecoderOp, second step: a work group repeatedly selects the most likely root, and removes the roots that match
// a keypoint of the new pose; the first of equals wins.
#define USES_A
#define USES_B
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

#define LANES kSearchInvocations
layout(local_size_x = LANES) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor scores_t;
  Tensor short_t;
  Tensor mid_t;
  Tensor roots_t;
  Tensor poses_t;  // by pose and keypoint: the point and its score; last the score of the pose, and 1 if valid
  vec4 limits;
};

#include "lib/posenet.glsl"

shared uint running[WORDS];  // one bit per root; a lane processes words LANES apart
shared float lane_score[LANES];
shared int lane_root[LANES];
shared vec2 newest[kKeypoints];

vec4 root(int n) { return load_a(roots_t.place.x + n); }

void main() {
  int lane = int(gl_LocalInvocationID.x);
  int count = roots_t.place.z, words = (count + 31) / 32;
  for (int w = lane; w < words; w += LANES) {
    uint bits = 0u;
    int last = min(count - 32 * w, 32);
    for (int b = 0; b < last; ++b) {
      if (root(32 * w + b).w != 0.0) bits |= 1u << uint(b);
    }
    running[w] = bits;
  }

  bool found = false;
  for (int pose = 0; pose < poses_t.size.y; ++pose) {
    float best = 0.0;
    int best_root = -1;
    for (int w = lane; w < words; w += LANES) {
      uint bits = running[w];
      for (uint left = bits; left != 0u; left &= left - 1u) {
        int b = findLSB(left);
        int n = 32 * w + b;
        vec4 candidate = root(n);
        if (found && is_same(candidate.xy, newest[remainder(n, kKeypoints)])) {
          bits &= ~(1u << uint(b));
          continue;
        }
        if (best_root < 0 || candidate.z > best) {
          best = candidate.z;
          best_root = n;
        }
      }
      running[w] = bits;
    }
    lane_score[lane] = best;
    lane_root[lane] = best_root;
    barrier();
    best_root = -1;
    for (int i = 0; i < LANES; ++i) {
      int n = lane_root[i];
      bool better = best_root < 0 || lane_score[i] > best || (lane_score[i] == best && n < best_root);
      if (n >= 0 && better) {
        best = lane_score[i];
        best_root = n;
      }
    }
    found = best_root >= 0;
    if (lane == 0) {
      int row = poses_t.place.x + pose * poses_t.size.x;
      vec3 keypoints[kKeypoints];
      float score = found ? grow(remainder(best_root, kKeypoints), root(best_root).xy, keypoints) : 0.0;
      for (int k = 0; k < kKeypoints; ++k) {
        newest[k] = found ? keypoints[k].xy : vec2(0.0);
        store(row + k, found ? vec4(keypoints[k], 0.0) : vec4(0.0));
      }
      store(row + kKeypoints, vec4(score, found ? 1.0 : 0.0, 0.0, 0.0));
    }
    barrier();
  }
}
