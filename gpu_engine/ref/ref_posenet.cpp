// PosenetDecoderOp. Points are in cells, except in the results.
#include <algorithm>
#include <cmath>
#include <functional>

#include "graph/posenet.h"
#include "graph/stable_sort.h"
#include "ref/kernels.h"
#include "ref/ref_ops.h"

namespace sightglass::ref {

namespace {

using posenet::kEdges;
using posenet::kKeypoints;

struct Point {
  float y = 0, x = 0;
};

float squared_distance(const Point& a, const Point& b) {
  const float dy = a.y - b.y, dx = a.x - b.x;
  return dy * dy + dx * dx;
}

// NaN becomes the first cell.
float within(float v, int32_t cells) { return v >= 0 ? std::min(v, static_cast<float>(cells - 1)) : 0.0f; }

// Values by cell and channel.
struct Map {
  int32_t rows = 0, columns = 0, channels = 0;
  std::vector<float> numbers;

  float at(int32_t row, int32_t column, int32_t channel) const {
    return numbers[static_cast<size_t>((row * columns + column) * channels + channel)];
  }
  // Bilinear interpolation between cells. `p` is within the map.
  float at(const Point& p, int32_t channel) const {
    const auto top = static_cast<int32_t>(std::floor(p.y)), left = static_cast<int32_t>(std::floor(p.x));
    const auto bottom = static_cast<int32_t>(std::ceil(p.y)), right = static_cast<int32_t>(std::ceil(p.x));
    const float down = p.y - static_cast<float>(top), across = p.x - static_cast<float>(left);
    const float above = (1 - across) * at(top, left, channel) + across * at(top, right, channel);
    const float below = (1 - across) * at(bottom, left, channel) + across * at(bottom, right, channel);
    return (1 - down) * above + down * below;
  }
  // Target of the offset at `p`.
  Point follow(const Point& p, int32_t y_channel, int32_t x_channel) const {
    return {within(p.y + at(p, y_channel), rows), within(p.x + at(p, x_channel), columns)};
  }
};

Map map_of(const Call& call, size_t input, float scale) {
  const Shape& shape = call.shape(input);
  Map map{shape.dim(1), shape.dim(2), shape.dim(3), call.real(input)};
  for (float& v : map.numbers) v *= scale;
  return map;
}

struct Pose {
  std::array<Point, kKeypoints> points;
  std::array<float, kKeypoints> scores{};
  float score = 0;  // the mean of the scores that count
};

struct Root {
  size_t keypoint = 0;
  Point point;
  float score = 0;
};

struct Decoder {
  const PosenetDecoderAttr& attr;
  Map scores, short_offsets, mid_offsets;

  bool is_local_maximum(int32_t row, int32_t column, int32_t keypoint) const {
    for (int32_t y = std::max(row - 1, 0); y <= std::min(row + 1, scores.rows - 1); ++y) {
      for (int32_t x = std::max(column - 1, 0); x <= std::min(column + 1, scores.columns - 1); ++x) {
        if (scores.at(y, x, keypoint) > scores.at(row, column, keypoint)) return false;
      }
    }
    return true;
  }

  // Root keypoints of poses, highest score first; equal scores keep their order.
  std::vector<Root> roots() const {
    const float lowest = posenet::lowest_root(attr.score_threshold);
    std::vector<Root> roots;
    for (int32_t row = 0; row < scores.rows; ++row) {
      for (int32_t column = 0; column < scores.columns; ++column) {
        for (int32_t k = 0; k < kKeypoints; ++k) {
          const float score = scores.at(row, column, k);
          if (!(score >= lowest) || !is_local_maximum(row, column, k)) continue;
          const Point cell{static_cast<float>(row), static_cast<float>(column)};
          roots.push_back({static_cast<size_t>(k), short_offsets.follow(cell, k, kKeypoints + k), score});
        }
      }
    }
    stable_sort_by(roots, &Root::score, std::greater());
    return roots;
  }

  Point neighbor(const Point& from, int32_t first_channel, size_t edge, size_t to) const {
    const int32_t channel = first_channel + static_cast<int32_t>(edge);
    Point point = mid_offsets.follow(from, channel, channel + kEdges);
    for (int i = 0; i < posenet::kShortRefinements; ++i) {
      point = short_offsets.follow(point, static_cast<int32_t>(to), kKeypoints + static_cast<int32_t>(to));
    }
    return point;
  }

  // The skeleton is a tree: first up to its root, then down to all remaining keypoints.
  Pose grow(const Root& root) const {
    Pose pose;
    std::array<bool, kKeypoints> known{};
    const auto step = [&](size_t from, size_t to, int32_t first_channel, size_t edge) {
      if (!known[from] || known[to]) return;
      pose.points[to] = neighbor(pose.points[from], first_channel, edge, to);
      known[to] = true;
    };
    pose.points[root.keypoint] = root.point;
    known[root.keypoint] = true;
    for (size_t edge = kEdges; edge-- > 0;) {
      step(posenet::kSkeleton[edge].child, posenet::kSkeleton[edge].parent, 2 * kEdges, edge);
    }
    for (size_t edge = 0; edge < kEdges; ++edge) {
      step(posenet::kSkeleton[edge].parent, posenet::kSkeleton[edge].child, 0, edge);
    }
    for (size_t k = 0; k < kKeypoints; ++k) {
      const float logit = scores.at(pose.points[k], static_cast<int32_t>(k));
      pose.scores[k] = 1 / (1 + std::exp(-logit));
      pose.score += pose.scores[k] / kKeypoints;
    }
    return pose;
  }

  bool same(const Point& a, const Point& b) const {
    const float radius = attr.nms_radius / static_cast<float>(attr.stride);
    return squared_distance(a, b) <= radius * radius;
  }

  std::vector<Pose> poses() const {
    std::vector<Pose> found;
    for (const Root& root : roots()) {
      if (found.size() == static_cast<size_t>(attr.max_detections)) break;
      const auto has = [&](const Pose& pose) { return same(pose.points[root.keypoint], root.point); };
      if (std::ranges::any_of(found, has)) continue;
      const Pose pose = grow(root);
      if (pose.score >= attr.score_threshold) found.push_back(pose);
    }
    return found;
  }

  // Keypoints that a better pose shares do not count. Best poses first, without those below the threshold.
  std::vector<Pose> rescored(std::vector<Pose> poses) const {
    stable_sort_by(poses, &Pose::score, std::greater());
    for (size_t i = 0; i < poses.size(); ++i) {
      float score = 0;
      for (size_t k = 0; k < kKeypoints; ++k) {
        const auto has = [&](const Pose& better) { return same(better.points[k], poses[i].points[k]); };
        const auto better = std::span(poses).first(i);
        score += std::ranges::any_of(better, has) ? 0.0f : poses[i].scores[k] / kKeypoints;
      }
      poses[i].score = score;
    }
    stable_sort_by(poses, &Pose::score, std::greater());
    std::erase_if(poses, [&](const Pose& pose) { return !(pose.score >= attr.score_threshold); });
    return poses;
  }
};

// The pose whose keypoints are nearest to the targets of the long offsets of a cell; the first of equals wins.
size_t pose_of_cell(const Map& long_offsets, int32_t row, int32_t column, const std::vector<Pose>& poses) {
  std::vector<float> distances(poses.size(), 0.0f);
  for (int32_t k = 0; k < kKeypoints; ++k) {
    Point point{static_cast<float>(row), static_cast<float>(column)};
    for (int i = 0; i <= posenet::kLongRefinements; ++i) point = long_offsets.follow(point, k, kKeypoints + k);
    for (size_t i = 0; i < poses.size(); ++i) {
      distances[i] += squared_distance(point, poses[i].points[static_cast<size_t>(k)]);
    }
  }
  return static_cast<size_t>(std::ranges::min_element(distances) - distances.begin());
}

}  // namespace

void posenet_decoder(const Call& call, std::vector<HostTensor>& out) {
  const auto& attr = call.attributes<PosenetDecoderAttr>();
  const auto stride = static_cast<float>(attr.stride);
  const Decoder decoder{attr, map_of(call, posenet::kScores, 1), map_of(call, posenet::kShortOffsets, 1 / stride),
                        map_of(call, posenet::kMidOffsets, 1 / stride)};
  const std::vector<Pose> poses = decoder.rescored(decoder.poses());
  for (size_t i = 0; i < poses.size(); ++i) {
    for (size_t k = 0; k < kKeypoints; ++k) {
      const size_t at = i * kKeypoints + k;
      out[posenet::kOutKeypoints].as<float>()[2 * at] = poses[i].points[k].y * stride;
      out[posenet::kOutKeypoints].as<float>()[2 * at + 1] = poses[i].points[k].x * stride;
      out[posenet::kOutKeypointScores].as<float>()[at] = poses[i].scores[k];
    }
    out[posenet::kOutPoseScores].as<float>()[i] = poses[i].score;
  }
  out[posenet::kOutCount].as<float>()[0] = static_cast<float>(poses.size());
  if (!call.has(posenet::kLongOffsets) || poses.empty()) return;
  const Map long_offsets = map_of(call, posenet::kLongOffsets, 1 / stride);
  for (int32_t row = 0; row < long_offsets.rows; ++row) {
    for (int32_t column = 0; column < long_offsets.columns; ++column) {
      const auto pose = static_cast<int32_t>(pose_of_cell(long_offsets, row, column, poses));
      const int32_t at = (pose * long_offsets.rows + row) * long_offsets.columns + column;
      out[posenet::kOutMasks].as<float>()[static_cast<size_t>(at)] = 1;
    }
  }
}

}  // namespace sightglass::ref
