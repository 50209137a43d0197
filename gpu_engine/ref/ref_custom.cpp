#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "graph/posenet.h"
#include "graph/stable_sort.h"
#include "ref/kernels.h"
#include "ref/ref_ops.h"

namespace sightglass::ref {

// TFLite_Detection_PostProcess: boxes from anchors, and suppression of boxes that overlap a better one.

namespace {

struct Corners {
  float ymin = 0, xmin = 0, ymax = 0, xmax = 0;
  float area() const { return (ymax - ymin) * (xmax - xmin); }
};

std::vector<Corners> decode(const DetectionAttr& attr, const std::vector<float>& boxes,
                            const std::vector<float>& anchors) {
  constexpr size_t kCoordinates = 4;
  const size_t count = anchors.size() / kCoordinates, stride = boxes.size() / count;
  std::vector<Corners> corners;
  for (size_t i = 0; i < count; ++i) {
    const float* box = &boxes[i * stride];
    const float* anchor = &anchors[i * kCoordinates];
    const double h = anchor[2], w = anchor[3];
    const auto y = static_cast<float>(double{box[0]} / attr.y_scale * h + anchor[0]);
    const auto x = static_cast<float>(double{box[1]} / attr.x_scale * w + anchor[1]);
    const auto half_h = static_cast<float>(0.5 * std::exp(double{box[2]} / attr.h_scale) * h);
    const auto half_w = static_cast<float>(0.5 * std::exp(double{box[3]} / attr.w_scale) * w);
    corners.push_back({y - half_h, x - half_w, y + half_h, x + half_w});
  }
  return corners;
}

float intersection_over_union(const Corners& a, const Corners& b) {
  if (a.area() <= 0 || b.area() <= 0) return 0;
  const float h = std::max(std::min(a.ymax, b.ymax) - std::max(a.ymin, b.ymin), 0.0f);
  const float w = std::max(std::min(a.xmax, b.xmax) - std::max(a.xmin, b.xmin), 0.0f);
  return h * w / (a.area() + b.area() - h * w);
}

// Indices by descending score; equal scores keep their order.
std::vector<size_t> by_score(const std::vector<float>& scores) {
  return stable_order(scores.size(), [&](size_t a, size_t b) { return scores[a] > scores[b]; });
}

// The best boxes without overlap with a better one, at most `most`.
std::vector<size_t> suppress(const DetectionAttr& attr, const std::vector<Corners>& corners,
                             const std::vector<float>& scores, int32_t most) {
  std::vector<size_t> chosen;
  for (const size_t box : by_score(scores)) {
    if (chosen.size() >= static_cast<size_t>(most)) break;
    if (!(scores[box] >= attr.score_threshold)) continue;
    const auto overlaps = [&](size_t better) {
      return intersection_over_union(corners[better], corners[box]) > attr.iou_threshold;
    };
    if (std::ranges::none_of(chosen, overlaps)) chosen.push_back(box);
  }
  return chosen;
}

struct Detection {
  size_t place = 0;  // position in the list
  size_t box = 0, box_class = 0;
  float score = 0;
};

using Scores = std::vector<std::vector<float>>;  // by box and class

// Boxes compete by their best class. Each is listed with its best `max_classes` classes.
std::vector<Detection> fast(const DetectionAttr& attr, const std::vector<Corners>& corners, const Scores& scores,
                            size_t* number) {
  std::vector<float> best;
  for (const std::vector<float>& of_box : scores) best.push_back(*std::ranges::max_element(of_box));
  const std::vector<size_t> chosen = suppress(attr, corners, best, attr.max_detections);
  const auto listed = static_cast<size_t>(attr.max_classes);
  std::vector<Detection> detections;
  for (size_t i = 0; i < chosen.size(); ++i) {
    const std::vector<float>& of_box = scores[chosen[i]];
    const std::vector<size_t> classes = by_score(of_box);
    for (size_t k = 0; k < std::min(listed, classes.size()); ++k) {
      detections.push_back({i * listed + k, chosen[i], classes[k], of_box[classes[k]]});
    }
  }
  *number = chosen.size();
  return detections;
}

// Boxes compete within each class. Lists the best of all classes.
std::vector<Detection> regular(const DetectionAttr& attr, const std::vector<Corners>& corners, const Scores& scores,
                               size_t* number) {
  std::vector<Detection> all;
  for (size_t c = 0; c < static_cast<size_t>(attr.classes); ++c) {
    std::vector<float> of_class;
    for (const std::vector<float>& of_box : scores) of_class.push_back(of_box[c]);
    for (const size_t box : suppress(attr, corners, of_class, attr.per_class)) {
      all.push_back({0, box, c, of_class[box]});
    }
  }
  stable_sort_by(all, &Detection::score, std::greater());
  all.resize(std::min(all.size(), static_cast<size_t>(attr.max_detections)));
  for (size_t i = 0; i < all.size(); ++i) all[i].place = i;
  *number = all.size();
  return all;
}

}  // namespace

void detection_postprocess(const Call& call, std::vector<HostTensor>& out) {
  const auto& attr = call.attributes<DetectionAttr>();
  const std::vector<Corners> corners = decode(attr, call.real(detection::kBoxes), call.real(detection::kAnchors));
  const std::vector<float> all_scores = call.real(detection::kScores);
  const size_t stride = all_scores.size() / corners.size(), classes = static_cast<size_t>(attr.classes);
  Scores scores;
  for (size_t i = 0; i < corners.size(); ++i) {
    const auto of_box = std::span(all_scores).subspan(i * stride + stride - classes, classes);
    scores.emplace_back(of_box.begin(), of_box.end());
  }
  size_t number = 0;
  for (const Detection& d : (attr.regular ? regular : fast)(attr, corners, scores, &number)) {
    const Corners& box = corners[d.box];
    const std::array numbers{box.ymin, box.xmin, box.ymax, box.xmax};
    std::ranges::copy(numbers, out[detection::kOutBoxes].as<float>().subspan(d.place * 4, 4).begin());
    out[detection::kOutClasses].as<float>()[d.place] = static_cast<float>(d.box_class);
    out[detection::kOutScores].as<float>()[d.place] = d.score;
  }
  out[detection::kOutNumber].as<float>()[0] = static_cast<float>(number);
}

// PosenetDecoderOp. Points are in cells, except in the results.

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

// Crops around landmarks, and matrices applied to landmarks and images.

namespace {

struct Place {
  double x = 0, y = 0;
  Place turned(double angle) const {
    return {x * std::cos(angle) - y * std::sin(angle), x * std::sin(angle) + y * std::cos(angle)};
  }
};

Place landmark(std::span<const float> data, int32_t index) {
  const size_t first = static_cast<size_t>(index) * 3;
  return {data[first], data[first + 1]};
}

// In 32 bits: positions at the border of an image must stay inside.
struct Matrix {
  explicit Matrix(std::span<const float> numbers) { std::copy_n(numbers.begin(), rows.size(), rows.begin()); }
  float x(float px, float py) const { return rows[0] * px + rows[1] * py + rows[3]; }
  float y(float px, float py) const { return rows[4] * px + rows[5] * py + rows[7]; }
  std::array<float, 8> rows{};
};

}  // namespace

void landmarks_to_matrix(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<LandmarksToMatrixAttr>();
  const std::span<const float> data = call.floats(0);
  const Place left = landmark(data, attr.left), right = landmark(data, attr.right);
  const double sign = !attr.directed && right.x < left.x ? -1 : 1;
  const double angle = std::atan2(sign * (right.y - left.y), sign * (right.x - left.x)) - double{attr.target_rotation};

  constexpr double kFar = std::numeric_limits<double>::infinity();
  Place least{kFar, kFar}, most{-kFar, -kFar};
  for (const int32_t index : attr.subset) {
    const Place at = landmark(data, index).turned(-angle);
    least = {std::min(least.x, at.x), std::min(least.y, at.y)};
    most = {std::max(most.x, at.x), std::max(most.y, at.y)};
  }
  const double width = (most.x - least.x) * attr.scale_x, height = (most.y - least.y) * attr.scale_y;
  // Steps along columns and rows of the crop, and from its center to its corner.
  const Place column = Place{width / attr.columns, 0}.turned(angle), row = Place{0, height / attr.rows}.turned(angle);
  const Place middle = Place{(least.x + most.x) / 2, (least.y + most.y) / 2}.turned(angle);
  const Place half = Place{width / 2, height / 2}.turned(angle);
  const std::array<double, 16> matrix{attr.pixels_x * column.x,
                                      attr.pixels_x * row.x,
                                      0,
                                      attr.pixels_x * (middle.x - half.x),
                                      attr.pixels_y * column.y,
                                      attr.pixels_y * row.y,
                                      0,
                                      attr.pixels_y * (middle.y - half.y),
                                      0,
                                      0,
                                      1,
                                      0,
                                      0,
                                      0,
                                      0,
                                      1};
  std::ranges::transform(matrix, out.as<float>().begin(), [](double number) { return static_cast<float>(number); });
}

void transform_landmarks(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<TransformLandmarksAttr>();
  const std::span<const float> data = call.floats(0);
  const std::span<float> result = out.as<float>();
  Matrix matrix(call.floats(1));
  matrix.rows[3] *= attr.scale;
  matrix.rows[7] *= attr.scale;
  std::ranges::copy(data, result.begin());
  for (size_t i = 0; i < data.size(); i += static_cast<size_t>(attr.dimensions)) {
    result[i] = matrix.x(data[i], data[i + 1]);
    result[i + 1] = matrix.y(data[i], data[i + 1]);
  }
}

void transform_image(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<TransformImageAttr>();
  const std::span<const float> data = call.floats(0);
  const int32_t rows = call.shape(0).dim(1), columns = call.shape(0).dim(2);
  const auto channels = static_cast<size_t>(call.shape(0).dim(3));
  const std::span<float> result = out.as<float>();
  std::ranges::fill(result, 0.0f);
  const Matrix matrix(call.floats(1));
  const float half = attr.half_pixel_centers ? 0.5f : 0.0f;
  size_t to = 0;
  for (int32_t y = 0; y < attr.out_h; ++y) {
    for (int32_t x = 0; x < attr.out_w; ++x, to += channels) {
      const float px = static_cast<float>(x) + half, py = static_cast<float>(y) + half;
      const float from_x = matrix.x(px, py) - half, from_y = matrix.y(px, py) - half;
      const bool inside = from_x >= 0 && from_y >= 0 && from_x <= static_cast<float>(columns - 1) &&
                          from_y <= static_cast<float>(rows - 1);
      if (!inside) continue;
      const auto x0 = static_cast<int32_t>(from_x), y0 = static_cast<int32_t>(from_y);
      const int32_t x1 = std::min(x0 + 1, columns - 1), y1 = std::min(y0 + 1, rows - 1);
      const float along_x = from_x - static_cast<float>(x0), along_y = from_y - static_cast<float>(y0);
      for (size_t c = 0; c < channels; ++c) {
        const auto at = [&](int32_t row, int32_t column) {
          return data[static_cast<size_t>(int64_t{row} * columns + column) * channels + c];
        };
        const float upper = at(y0, x0) * (1 - along_x) + at(y0, x1) * along_x;
        const float lower = at(y1, x0) * (1 - along_x) + at(y1, x1) * along_x;
        result[to + c] = upper * (1 - along_y) + lower * along_y;
      }
    }
  }
}

}  // namespace sightglass::ref
