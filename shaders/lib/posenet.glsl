// Finds poses in the maps of PosenetDecoderOp, as described in graph/posenet.h. The including shader has a parameter
// block with scores_t, short_t and mid_t, and `limits`: x: minimum logit of a root keypoint; y: minimum score of a
// pose; z: squared distance in cells within which two keypoints are the same; w: cells per pixel. Points are y and x,
// in cells.
#include "graph/posenet.h"

const ivec2 SKELETON[kEdges] =
    ivec2[kEdges](ivec2(0, 1), ivec2(1, 3), ivec2(0, 2), ivec2(2, 4), ivec2(0, 5), ivec2(5, 7), ivec2(7, 9), ivec2(5, 11),
                 ivec2(11, 13), ivec2(13, 15), ivec2(0, 6), ivec2(6, 8), ivec2(8, 10), ivec2(6, 12), ivec2(12, 14),
                 ivec2(14, 16));

ivec2 map_cells(Tensor t) { return t.size.yx; }  // rows and columns

float map_number(Tensor t, ivec2 cell, int channel) {
  return real(t, load_b(tensor_index(t, 0, channel / 4, cell.x, cell.y)))[channel % 4];
}

// Bilinear interpolation between cells. Clamps the point, so the cells always exist.
float map_at(Tensor t, vec2 point, int channel) {
  ivec2 last = map_cells(t) - 1;
  ivec2 first_cell = clamp(ivec2(floor(point)), ivec2(0), last), next_cell = clamp(ivec2(ceil(point)), ivec2(0), last);
  vec2 part = point - vec2(first_cell);
  float above = (1.0 - part.y) * map_number(t, first_cell, channel) +
                part.y * map_number(t, ivec2(first_cell.x, next_cell.y), channel);
  float below = (1.0 - part.y) * map_number(t, ivec2(next_cell.x, first_cell.y), channel) +
                part.y * map_number(t, next_cell, channel);
  return (1.0 - part.x) * above + part.x * below;
}

// NaN becomes the first cell.
vec2 within(Tensor t, vec2 point) {
  vec2 last = vec2(map_cells(t) - 1);
  return vec2(point.x >= 0.0 ? min(point.x, last.x) : 0.0, point.y >= 0.0 ? min(point.y, last.y) : 0.0);
}

// Target of the offset at `point`.
vec2 follow(Tensor t, vec2 point, int y_channel, int x_channel) {
  return within(t, point + limits.w * vec2(map_at(t, point, y_channel), map_at(t, point, x_channel)));
}

bool is_same(vec2 a, vec2 b) {
  vec2 d = a - b;
  return dot(d, d) <= limits.z;
}

// The keypoints of the pose that starts at `root`, and their scores. The skeleton is a tree: first up to its root, then
// down to all remaining keypoints. Returns the mean of the scores.
float grow(int root_keypoint, vec2 root, out vec3 keypoints[kKeypoints]) {
  for (int k = 0; k < kKeypoints; ++k) keypoints[k] = vec3(0.0, 0.0, -1.0);  // unknown yet
  keypoints[root_keypoint] = vec3(root, 1.0);
  for (int i = 0; i < 2 * kEdges; ++i) {
    bool up = i < kEdges;
    int edge = up ? kEdges - 1 - i : i - kEdges;
    int from = up ? SKELETON[edge].y : SKELETON[edge].x, to = up ? SKELETON[edge].x : SKELETON[edge].y;
    if (keypoints[from].z < 0.0 || keypoints[to].z >= 0.0) continue;
    int channel = (up ? 2 * kEdges : 0) + edge;
    vec2 point = follow(mid_t, keypoints[from].xy, channel, channel + kEdges);
    for (int n = 0; n < kShortRefinements; ++n) point = follow(short_t, point, to, kKeypoints + to);
    keypoints[to] = vec3(point, 1.0);
  }
  float sum = 0.0;
  for (int k = 0; k < kKeypoints; ++k) {
    keypoints[k].z = 1.0 / (1.0 + exp(-map_at(scores_t, keypoints[k].xy, k)));
    sum += keypoints[k].z / float(kKeypoints);
  }
  return sum;
}
