// PosenetDecoderOp, first step: candidate root keypoints of all cells, in cell order: the position of the keypoint, its
// logit, and 1 if the score is high enough, is a local maximum, and leads to a sufficient pose score.
#define USES_B
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor scores_t;
  Tensor short_t;
  Tensor mid_t;
  Tensor roots_t;
  vec4 limits;
};

#include "lib/posenet.glsl"

bool is_root(ivec2 cell, int keypoint, float score) {
  if (!(score >= limits.x)) return false;
  bool highest = true;
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) {
      ivec2 other = clamp(cell + ivec2(y, x), ivec2(0), map_cells(scores_t) - 1);
      highest = highest && !(map_number(scores_t, other, keypoint) > score);
    }
  }
  return highest;
}

void main() {
  int n = INVOCATION_X;
  if (n >= roots_t.place.z) return;
  int at = quotient(n, kKeypoints), keypoint = n - at * kKeypoints;
  ivec2 cell = column_row(at, scores_t.size.x).yx;
  float score = map_number(scores_t, cell, keypoint);
  vec4 root = vec4(0.0);
  if (is_root(cell, keypoint, score)) {
    vec2 point = follow(short_t, vec2(cell), keypoint, kKeypoints + keypoint);
    vec3 keypoints[kKeypoints];
    float mean = grow(keypoint, point, keypoints);
    root = vec4(point, score, mean >= limits.y ? 1.0 : 0.0);
  }
  store(roots_t.place.x + n, root);
}
