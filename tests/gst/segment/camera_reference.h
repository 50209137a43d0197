// Scalar references of people in masks and of the camera that follows them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "segment/camera.h"
#include "segment/shaders.h"

namespace sightglass::test {

using Box = std::array<double, 4>;
inline constexpr Box kNowhere{2, 2, -1, -1};
inline constexpr double kFrame = 1.0 / 30;
inline constexpr double kUneven = 0.0337;  // sums of it do not hit limits of time

inline bool is_somewhere(const Box& box) { return box[0] < box[2] && box[1] < box[3]; }
inline double area(const Box& box) { return (box[2] - box[0]) * (box[3] - box[1]); }
inline Box united(const Box& a, const Box& b) {
  return {std::min(a[0], b[0]), std::min(a[1], b[1]), std::max(a[2], b[2]), std::max(a[3], b[3])};
}
inline double centrality(double x, double y) { return 1 - 0.8 * std::min(std::hypot(x - 0.5, y - 0.5), 0.5) / 0.5; }

struct Drawing {
  int width = 0, height = 0;
  std::vector<float> values;
  Drawing(int w, int h) : width(w), height(h), values(static_cast<size_t>(w) * static_cast<size_t>(h)) {}
  float& at(int x, int y) {
    return values[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
  }
  float at(int x, int y) const {
    return values[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
  }
  // A person: an ellipse for the head and one for the body, which stands on the ground. In pixels.
  void draw(double x, double y, double size) {
    for (int v = 0; v < height; ++v) {
      for (int u = 0; u < width; ++u) {
        const auto in = [&](double cx, double cy, double rx, double ry) {
          return std::pow((u + 0.5 - cx) / rx, 2) + std::pow((v + 0.5 - cy) / ry, 2) < 1;
        };
        if (in(x, y - 0.4 * size, 0.09 * size, 0.11 * size) || in(x, y, 0.16 * size, 0.35 * size)) at(u, v) = kSure;
      }
    }
  }
  static constexpr float kSure = 0.97F;  // so that no mean of four pixels is just one half
};

// The definition of shaders/segment/people_*.comp.
class PeopleReference {
 public:
  PeopleReference(int width, int height) : width_(width), height_(height) {
    const int side = (std::max(width, height) + kPeopleSide - 1) / kPeopleSide;
    side_ = side == 1 ? 1 : side + side % 2;
    columns_ = (width + side_ - 1) / side_;
    rows_ = (height + side_ - 1) / side_;
    labels_.resize(cells());
    shape_.resize(cells());
  }

  Box main = kNowhere, group = kNowhere;
  std::vector<bool> keeps;

  void reset() { begins_ = true; }
  void find(const Drawing& mask, double seconds) {
    measure(mask);
    const bool begins = std::exchange(begins_, false);
    const double lost = begins ? kPeopleForever : lost_;
    const std::array<double, 2> moved =
        begins ? std::array<double, 2>{} : std::array{rest_[0] + motion_[0], rest_[1] + motion_[1]};
    const std::array<int, 2> shift{static_cast<int>(std::floor(moved[0] + 0.5)),
                                   static_cast<int>(std::floor(moved[1] + 0.5))};
    std::vector<int> seeds(cells());
    bool any_main = false;
    for (size_t n = 0; n < cells(); ++n) {
      if (!is_foreground(n)) continue;
      seeds[n] = begins ? 0 : previous_label(static_cast<int>(n), shift);
      any_main = any_main || seeds[n] == 1;
    }
    const std::vector<int> nearest = spread(seeds, true);
    const std::vector<int> regions = regions_of();
    std::vector<int> areas(cells()), scores(cells());
    for (size_t n = 0; n < cells(); ++n) {
      if (regions[n] < 0) continue;
      const int units = static_cast<int>(shares_[n] * kPeopleUnits + 0.5);
      areas[static_cast<size_t>(regions[n])] += units;
      scores[static_cast<size_t>(regions[n])] += !any_main
                                                     ? static_cast<int>(units * centrality(x_of(n), y_of(n)) + 0.5)
                                                 : nearest[n] == 1 ? units
                                                                   : 0;
    }
    int best = -1;
    for (size_t n = 0; n < cells(); ++n) {
      if (areas[n] < kPeopleLeastUnits || scores[n] == 0) continue;
      if (best < 0 || scores[n] > scores[static_cast<size_t>(best)]) best = static_cast<int>(n);
    }
    const bool found = best >= 0 && (any_main || lost > kPeopleWait);
    const bool mixed = found && any_main &&
                       areas[static_cast<size_t>(best)] - scores[static_cast<size_t>(best)] >
                           kPeopleMixed * areas[static_cast<size_t>(best)];
    const bool rests = !begins && std::hypot(motion_[0], motion_[1]) < kPeopleRest;
    const double crossing = !rests ? 0 : mixed ? kPeopleCrossing : std::max(crossing_ - seconds, 0.0);
    std::vector<int> now(cells());
    std::vector<bool> emerging(cells()), shape(cells());
    for (size_t n = 0; n < cells() && crossing > 0; ++n) shape[n] = had(static_cast<int>(n), shift, 0);
    std::array<double, 3> sums{};
    main = group = kNowhere;
    for (size_t n = 0; n < cells(); ++n) {
      if (regions[n] < 0) continue;
      bool is_main = found && regions[n] == best && (!mixed || nearest[n] == 1);
      emerging[n] = is_main && crossing > 0 && !had(static_cast<int>(n), shift, 1);
      is_main = is_main && !emerging[n];
      if (crossing == 0) shape[n] = is_main;
      now[n] = is_main ? 1 : 2;
      if (areas[static_cast<size_t>(regions[n])] < kPeopleLeastUnits) now[n] = 0;
      if (!is_main) continue;
      sums[0] += shares_[n] * (static_cast<int>(n) % columns_);
      sums[1] += shares_[n] * (static_cast<int>(n) / columns_);
      sums[2] += shares_[n];
    }
    if (found || lost > kPeopleWait) {
      for (size_t n = 0; n < cells(); ++n) labels_[n] = emerging[n] ? 0 : now[n];
      shape_ = shape;
    }
    crossing_ = crossing;
    std::vector<int> steps;
    const std::vector<int> all = spread(now, false, &steps);
    keeps.assign(cells(), true);
    for (size_t n = 0; n < cells(); ++n) {
      const bool is_near = all[n] != 0 && steps[n] <= kPeopleReach;
      keeps[n] = all[n] == 0 || (is_near && all[n] == 1);
      if (is_near) group = united(group, boxes_[n]);
      if (is_near && all[n] == 1) main = united(main, boxes_[n]);
    }
    const std::array<double, 2> center{sums[0] / std::max(sums[2], 1e-6), sums[1] / std::max(sums[2], 1e-6)};
    const bool stays = found && any_main && lost == 0;
    for (size_t i = 0; i < 2; ++i) {
      motion_[i] = stays ? motion_[i] : 0;
      const double share = mixed ? kPeopleMixedShare : kPeopleMotionShare;
      if (stays) motion_[i] = std::lerp(motion_[i], std::clamp(center[i] - center_[i], -2.0, 2.0), share);
      rest_[i] = stays ? moved[i] - shift[i] : 0;
    }
    if (found) center_ = center;
    lost_ = found ? 0 : std::min<double>(lost + seconds, kPeopleForever);
  }

 private:
  size_t cells() const { return static_cast<size_t>(columns_ * rows_); }
  bool is_foreground(size_t n) const {
    const int column = static_cast<int>(n) % columns_;
    double left = 0, right = 0;
    for (int i = 1; i <= 2; ++i) {
      if (column >= i) left = std::max(left, shares_[n - static_cast<size_t>(i)]);
      if (column + i < columns_) right = std::max(right, shares_[n + static_cast<size_t>(i)]);
    }
    return shares_[n] >= kPeopleShare && std::min(left, right) <= shares_[n] + kPeopleGap;
  }
  double x_of(size_t n) const { return (static_cast<int>(n) % columns_ + 0.5) / columns_; }
  double y_of(size_t n) const { return (static_cast<int>(n) / columns_ + 0.5) / rows_; }

  void measure(const Drawing& mask) {
    shares_.assign(cells(), 0);
    boxes_.assign(cells(), kNowhere);
    const int step = std::min(side_, 2), fetches = side_ / step;
    for (int n = 0; n < static_cast<int>(cells()); ++n) {
      for (int i = 0; i < fetches * fetches; ++i) {
        const int x = side_ * (n % columns_) + step * (i % fetches), y = side_ * (n / columns_) + step * (i / fetches);
        if (x >= width_ || y >= height_) continue;
        const int right = std::min(x + step, width_), below = std::min(y + step, height_);
        double mean = 0;
        for (int v = y; v < below; ++v) {
          for (int u = x; u < right; ++u) mean += mask.at(u, v) / ((right - x) * (below - y));
        }
        if (mean < kPeopleSure) continue;
        const auto w = static_cast<double>(width_), h = static_cast<double>(height_);
        boxes_[static_cast<size_t>(n)] = united(boxes_[static_cast<size_t>(n)], {x / w, y / h, right / w, below / h});
        shares_[static_cast<size_t>(n)] += 1.0 / (fetches * fetches);
      }
    }
  }
  // Whether the main person had one of the cells around it before the crossing.
  bool had(int n, const std::array<int, 2>& shift, int reach) const {
    for (int dy = -reach; dy <= reach; ++dy) {
      for (int dx = -reach; dx <= reach; ++dx) {
        const int x = n % columns_ - shift[0] + dx, y = n / columns_ - shift[1] + dy;
        const bool inside = x >= 0 && y >= 0 && x < columns_ && y < rows_;
        if (inside && shape_[static_cast<size_t>(y * columns_ + x)]) return true;
      }
    }
    return false;
  }
  int previous_label(int n, const std::array<int, 2>& shift) const {
    const int x = n % columns_ - shift[0], y = n / columns_ - shift[1];
    const bool inside = x >= 0 && y >= 0 && x < columns_ && y < rows_;
    if (inside && labels_[static_cast<size_t>(y * columns_ + x)] == 1) return 1;
    return labels_[static_cast<size_t>(n)] == 2 ? 2 : 0;
  }
  template <typename F>
  void around(int n, F visit) const {
    if (n % columns_ > 0) visit(n - 1);
    if (n % columns_ < columns_ - 1) visit(n + 1);
    if (n / columns_ > 0) visit(n - columns_);
    if (n / columns_ < rows_ - 1) visit(n + columns_);
  }
  // The label of the nearest cell that has one, by steps between cells, of foreground only if `within`.
  std::vector<int> spread(const std::vector<int>& seeds, bool within, std::vector<int>* far = nullptr) const {
    std::vector<int> distance(cells(), 1 << 20), labels(seeds);
    std::deque<int> next;
    for (const int label : {1, 2}) {
      for (size_t n = 0; n < cells(); ++n) {
        if (seeds[n] != label) continue;
        distance[n] = 0;
        next.push_back(static_cast<int>(n));
      }
    }
    while (!next.empty()) {
      const int n = next.front();
      next.pop_front();
      around(n, [&](int other) {
        const auto o = static_cast<size_t>(other);
        if (within && !is_foreground(o)) return;
        const int steps = distance[static_cast<size_t>(n)] + 1;
        if (steps > distance[o] || (steps == distance[o] && labels[o] <= labels[static_cast<size_t>(n)])) return;
        distance[o] = steps;
        labels[o] = labels[static_cast<size_t>(n)];
        next.push_back(other);
      });
    }
    if (far != nullptr) *far = distance;
    return labels;
  }
  // The first cell of the region of each cell; -1: not foreground.
  std::vector<int> regions_of() const {
    std::vector<int> regions(cells(), -1);
    for (int first = 0; first < static_cast<int>(cells()); ++first) {
      if (!is_foreground(static_cast<size_t>(first)) || regions[static_cast<size_t>(first)] >= 0) continue;
      std::deque<int> next{first};
      regions[static_cast<size_t>(first)] = first;
      while (!next.empty()) {
        const int n = next.front();
        next.pop_front();
        around(n, [&](int other) {
          if (!is_foreground(static_cast<size_t>(other)) || regions[static_cast<size_t>(other)] >= 0) return;
          regions[static_cast<size_t>(other)] = first;
          next.push_back(other);
        });
      }
    }
    return regions;
  }

  int width_, height_, side_ = 1, columns_ = 1, rows_ = 1;
  std::vector<double> shares_;
  std::vector<Box> boxes_;
  std::vector<int> labels_;
  std::vector<bool> shape_;
  std::array<double, 2> motion_{}, rest_{}, center_{};
  double lost_ = 0, crossing_ = 0;
  bool begins_ = true;
};

// The definition of shaders/segment/camera_move.comp, for objects.
class CameraReference {
 public:
  struct Scene {
    Follow follow = Follow::kPerson;
    double frame_aspect = 16.0 / 9, output_aspect = 16.0 / 9, max_zoom = 2.5, margin = 0.12, speed = 1;
  };
  Box part{};

  void move(const Scene& scene, const std::vector<Box>& boxes, double seconds) {
    scene_ = scene;
    seconds_ = seconds;
    const Box box = seen(boxes);
    absent_ = is_somewhere(box) ? 0 : absent_ + seconds;
    if (is_somewhere(box) || absent_ > kPeopleWait || scene.follow == Follow::kNone) box_ = box;
    const bool someone = is_somewhere(box_);
    const Vector wanted = someone ? view_of(box_) : Vector{0.5 * scene.frame_aspect, 0.5, 0};
    if (!is_set_) {
      view_ = goal_ = before_ = wanted;
      is_set_ = true;
    }
    if (starts(wanted, someone)) moves_ = true;
    drift(wanted, someone);
    if (moves_) {
      const double lead = kCameraLead * 3 / (kCameraRate * scene.speed);
      const auto [x, y] = inside(wanted[0] + lead * drift_[0], wanted[1] + lead * drift_[1], size_of(wanted[2]));
      goal_ = {x, y, wanted[2]};
    }
    follow_goal();
    if (arrives()) moves_ = false;
    const auto size = size_of(std::clamp(view_[2], -std::log(scene.max_zoom), 0.0));
    const auto [x, y] = inside(view_[0], view_[1], size);
    part = {(x - size[0] / 2) / scene.frame_aspect, y - size[1] / 2, (x + size[0] / 2) / scene.frame_aspect,
            y + size[1] / 2};
  }

 private:
  using Vector = std::array<double, 3>;
  using Size = std::array<double, 2>;

  Size size_of(double zoom) const {
    return {std::min(scene_.frame_aspect, scene_.output_aspect) * std::exp(zoom),
            std::min(1.0, scene_.frame_aspect / scene_.output_aspect) * std::exp(zoom)};
  }
  Size inside(double x, double y, const Size& size) const {
    return {std::clamp(x, size[0] / 2, std::max(scene_.frame_aspect - size[0] / 2, size[0] / 2)),
            std::clamp(y, size[1] / 2, std::max(1 - size[1] / 2, size[1] / 2))};
  }
  Box seen(const std::vector<Box>& boxes) const {
    Box best = kNowhere;
    double best_score = 0;
    if (scene_.follow == Follow::kNone) return best;
    for (const Box& box : boxes) {
      if (scene_.follow == Follow::kGroup) {
        best = united(best, box);
        continue;
      }
      double score = area(box) * centrality((box[0] + box[2]) / 2, (box[1] + box[3]) / 2);
      if (is_somewhere(box_)) {
        const Box both{std::max(box[0], box_[0]), std::max(box[1], box_[1]), std::min(box[2], box_[2]),
                       std::min(box[3], box_[3])};
        score = is_somewhere(both) ? area(both) / (area(box) + area(box_) - area(both)) : 0;
      }
      if (score > best_score) best = box;
      best_score = std::max(best_score, score);
    }
    return best;
  }
  Box margin_of(const Box& box) const {
    Box margin{};
    for (size_t i = 0; i < 4; ++i) margin[i] = (i < 2 ? box[i] > 0.01 : box[i] < 0.99) ? scene_.margin : 0;
    return margin;
  }
  Box within_frame(const Box& box) const {
    return {std::max(box[0], 0.0) * scene_.frame_aspect, std::max(box[1], 0.0),
            std::min(box[2], 1.0) * scene_.frame_aspect, std::min(box[3], 1.0)};
  }
  double urgency() const {
    if (!is_somewhere(box_)) return 0;
    const Size size = size_of(view_[2]);
    const Box inner = within_frame(box_), margin = margin_of(box_);
    double most = 0;
    for (size_t i = 0; i < 4; ++i) {
      const double side = view_[i % 2] + (i < 2 ? -0.5 : 0.5) * size[i % 2];
      const double over = (i < 2 ? side - inner[i] : inner[i] - side) / size[i % 2] + kCameraNear * margin[i];
      most = std::max(most, over);
    }
    return std::clamp(most / kCameraUrgent, 0.0, 1.0);
  }
  Vector view_of(const Box& box) const {
    const Box margin = margin_of(box), inner = within_frame(box);
    const Size whole = size_of(0);
    const double part = std::clamp(std::max((inner[2] - inner[0]) / (1 - margin[0] - margin[2]) / whole[0],
                                            (inner[3] - inner[1]) / (1 - margin[1] - margin[3]) / whole[1]),
                                   1 / scene_.max_zoom, 1.0);
    const Size size{whole[0] * part, whole[1] * part};
    const auto [x, y] = inside((inner[0] + inner[2]) / 2 + (margin[2] - margin[0]) / 2 * size[0],
                               (inner[1] + inner[3]) / 2 + (margin[3] - margin[1]) / 2 * size[1], size);
    return {x, y, std::log(part)};
  }
  bool starts(const Vector& wanted, bool someone) {
    const Size size = size_of(goal_[2]);
    const double pan =
        std::max(std::abs(wanted[0] - goal_[0]) / size[0], std::abs(wanted[1] - goal_[1]) / size[1]) / kCameraZone;
    const double zoom = (wanted[2] - goal_[2]) / kCameraZoomZone, way = std::max(pan, std::abs(zoom));
    late_ = way > 1 ? late_ + seconds_ : 0;
    const bool closer = -zoom > std::max(pan, 1.0);
    const bool soon = way > 2 && !closer, in_time = late_ > (closer ? kCameraCloserWait : kCameraWait);
    return (way > 1 && (!someone || soon || in_time)) || (way > 0.5 && urgency() > 0);
  }
  void drift(const Vector& wanted, bool someone) {
    const Size now{(wanted[0] - before_[0]) / seconds_, (wanted[1] - before_[1]) / seconds_};
    const double kept = std::exp(-seconds_ / kCameraDriftTime);
    const bool jumps = std::hypot(now[0], now[1]) > kCameraJump;
    for (size_t i = 0; i < 2; ++i) drift_[i] = jumps || !someone ? 0 : std::lerp(now[i], drift_[i], kept);
    before_ = wanted;
  }
  void follow_goal() {
    const double rate = kCameraRate * scene_.speed * (1 + urgency()), t = seconds_;
    const double farthest = 3 * kCameraFastest * scene_.speed / rate;
    Vector way{goal_[0] - view_[0], goal_[1] - view_[1], goal_[2] - view_[2]};
    const double share = std::min(1.0, farthest * size_of(view_[2])[1] / std::max(std::hypot(way[0], way[1]), 1e-6));
    way = {way[0] * share, way[1] * share, std::clamp(way[2], -farthest, farthest)};
    for (size_t i = 0; i < 3; ++i) {
      const double goal = view_[i] + way[i], decay = std::exp(-rate * t);
      const double a = -way[i], b = speed_[i] + rate * a,
                   c = 0.5 * (acceleration_[i] + 2 * rate * speed_[i] + rate * rate * a);
      const double at = a + b * t + c * t * t, slope = b + 2 * c * t;
      view_[i] = goal + at * decay;
      speed_[i] = (slope - rate * at) * decay;
      acceleration_[i] = (2 * c - 2 * rate * slope + rate * rate * at) * decay;
    }
  }
  bool arrives() const {
    const Size size = size_of(goal_[2]);
    return std::max({std::abs(goal_[0] - view_[0]) / size[0] / kCameraZone,
                     std::abs(goal_[1] - view_[1]) / size[1] / kCameraZone,
                     std::abs(goal_[2] - view_[2]) / kCameraZoomZone}) < kCameraArrival;
  }

  Scene scene_;
  double seconds_ = 0, absent_ = kPeopleForever, late_ = 0;
  Vector view_{}, speed_{}, acceleration_{}, goal_{}, before_{};
  Size drift_{};
  Box box_ = kNowhere;
  bool is_set_ = false, moves_ = false;
};

}  // namespace sightglass::test
