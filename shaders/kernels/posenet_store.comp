// PosenetDecoderOp, third step: the score of each pose without the keypoints that a better one shares, and the results
// in the order of those scores. Unused entries are zero.
#define USES_A
#define WRITES_OUTPUT
#include "graph/posenet.h"
#include "lib/tensor.glsl"

#define LANES kKernelInvocations
layout(local_size_x = LANES) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor poses_t;
  Tensor order_t;  // by rank: the pose, and 1 if valid
  Tensor keypoints_t;
  Tensor keypoint_scores_t;
  Tensor pose_scores_t;
  Tensor count_t;
  vec4 limits;  // 0; minimum score; squared distance in cells within which two keypoints are the same; cells per pixel
};

shared float scores[MOST_POSES];  // below zero: no pose
shared int ranked[MOST_POSES];

vec4 entry(int pose, int k) { return load_a(poses_t.place.x + pose * poses_t.size.x + k); }

bool is_before(float score, int pose, float other_score, int other) {
  return score > other_score || (score == other_score && pose < other);
}

// Whether one of the `count` poses is better than `pose` and shares its keypoint.
bool is_taken(int pose, int k, vec2 pose_entry) {
  vec2 point = entry(pose, k).xy;
  bool taken = false;
  for (int other = 0; other < poses_t.size.y; ++other) {
    vec2 other_entry = entry(other, kKeypoints).xy;
    vec2 d = entry(other, k).xy - point;
    bool better = other_entry.y != 0.0 && is_before(other_entry.x, other, pose_entry.x, pose);
    taken = taken || (better && dot(d, d) <= limits.z);
  }
  return taken;
}

float rescored(int pose) {
  vec2 pose_entry = entry(pose, kKeypoints).xy;
  if (pose_entry.y == 0.0) return -1.0;
  float sum = 0.0;
  for (int k = 0; k < kKeypoints; ++k) {
    if (!is_taken(pose, k, pose_entry)) sum += entry(pose, k).z / float(kKeypoints);
  }
  return sum >= limits.y ? sum : -1.0;
}

void store_pose(int rank) {
  int pose = ranked[rank];
  bool found = scores[pose] >= 0.0;
  for (int k = 0; k < kKeypoints; ++k) {
    vec2 point = found ? entry(pose, k).xy / limits.w : vec2(0.0);
    store(tensor_index(keypoints_t, 0, 0, rank, k), vec4(point, 0.0, 0.0));
  }
  for (int s = 0; s < keypoint_scores_t.place.y; ++s) {
    vec4 v = vec4(0.0);
    for (int i = 0; i < 4; ++i) {
      if (found && 4 * s + i < kKeypoints) v[i] = entry(pose, 4 * s + i).z;
    }
    store(tensor_index(keypoint_scores_t, 0, s, 0, rank), v);
  }
  store(order_t.place.x + rank, vec4(float(pose), found ? 1.0 : 0.0, 0.0, 0.0));
}

void main() {
  int lane = int(gl_LocalInvocationID.x), count = poses_t.size.y;
  for (int pose = lane; pose < count; pose += LANES) scores[pose] = rescored(pose);
  barrier();
  for (int pose = lane; pose < count; pose += LANES) {
    int rank = 0;
    for (int other = 0; other < count; ++other) rank += int(is_before(scores[other], other, scores[pose], pose));
    ranked[rank] = pose;
  }
  barrier();
  for (int rank = lane; rank < count; rank += LANES) store_pose(rank);
  for (int s = lane; s < pose_scores_t.place.y; s += LANES) {
    vec4 v = vec4(0.0);
    for (int i = 0; i < 4; ++i) {
      if (4 * s + i < count) v[i] = max(scores[ranked[4 * s + i]], 0.0);
    }
    store(pose_scores_t.place.x + s, v);
  }
  if (lane != 0) return;
  float number = 0.0;
  for (int pose = 0; pose < count; ++pose) number += scores[pose] >= 0.0 ? 1.0 : 0.0;
  store(count_t.place.x, vec4(number, 0.0, 0.0, 0.0));
}
