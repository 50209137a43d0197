// PosenetDecoderOp, last step: for each cell, the pose whose keypoints are nearest to the targets of the long offsets
// from there. Four adjacent cells per invocation.
#define USES_A
#define USES_B
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor scores_t;
  Tensor short_t;
  Tensor mid_t;
  Tensor long_t;
  Tensor poses_t;
  Tensor order_t;  // in the storage of the maps
  Tensor masks_t;
  vec4 limits;
};

#include "lib/posenet.glsl"

// The rank of the pose of the cell; -1 if there is none.
int pose_of(ivec2 cell) {
  vec2 points[kKeypoints];
  for (int k = 0; k < kKeypoints; ++k) {
    points[k] = vec2(cell);
    for (int i = 0; i <= kLongRefinements; ++i) points[k] = follow(long_t, points[k], k, kKeypoints + k);
  }
  int nearest = -1;
  float least = 0.0;
  for (int rank = 0; rank < poses_t.size.y; ++rank) {
    vec4 order = load_b(order_t.place.x + rank);
    if (order.y == 0.0) continue;
    float distance_sum = 0.0;
    for (int k = 0; k < kKeypoints; ++k) {
      vec2 d = points[k] - load_a(poses_t.place.x + int(order.x) * poses_t.size.x + k).xy;
      distance_sum += dot(d, d);
    }
    if (nearest < 0 || distance_sum < least) {
      nearest = rank;
      least = distance_sum;
    }
  }
  return nearest;
}

void main() {
  int rows = masks_t.size.x, columns = masks_t.size.z;
  int slice = quotient(INVOCATION_X, rows), row = INVOCATION_X - slice * rows;
  if (slice >= masks_t.place.y) return;
  ivec4 ranks = ivec4(-1);
  for (int i = 0; i < 4; ++i) {
    if (4 * slice + i < columns) ranks[i] = pose_of(ivec2(row, 4 * slice + i));
  }
  for (int rank = 0; rank < masks_t.size.y; ++rank) {
    store(tensor_index(masks_t, 0, slice, rank, row), vec4(equal(ranks, ivec4(rank))));
  }
}
