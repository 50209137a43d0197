// People in masks, and the camera that follows them, compared with scalar references.
#include "segment/camera.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <deque>
#include <optional>
#include <random>
#include <vector>

#include "gl/shaders.h"
#include "gl_pictures.h"
#include "harness/gl_test.h"
#include "segment/people.h"
#include "segment/shaders.h"

namespace sightglass::test {
namespace {

using Box = std::array<double, 4>;
constexpr Box kNowhere{2, 2, -1, -1};
constexpr double kFrame = 1.0 / 30;
constexpr double kUneven = 0.0337;  // sums of it do not hit limits of time

bool is_somewhere(const Box& box) { return box[0] < box[2] && box[1] < box[3]; }
double area(const Box& box) { return (box[2] - box[0]) * (box[3] - box[1]); }
Box united(const Box& a, const Box& b) {
  return {std::min(a[0], b[0]), std::min(a[1], b[1]), std::max(a[2], b[2]), std::max(a[3], b[3])};
}
double centrality(double x, double y) { return 1 - 0.8 * std::min(std::hypot(x - 0.5, y - 0.5), 0.5) / 0.5; }

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
      if (shares_[n] < kPeopleShare) continue;
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
      if (areas[static_cast<size_t>(regions[n])] >= kPeopleLeastUnits) {
        group = united(group, boxes_[n]);
      } else {
        now[n] = 0;
      }
      if (!is_main) continue;
      main = united(main, boxes_[n]);
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
    for (size_t n = 0; n < cells(); ++n) keeps[n] = all[n] == 0 || (all[n] == 1 && steps[n] <= kPeopleReach);
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
        if (within && shares_[o] < kPeopleShare) return;
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
      if (shares_[static_cast<size_t>(first)] < kPeopleShare || regions[static_cast<size_t>(first)] >= 0) continue;
      std::deque<int> next{first};
      regions[static_cast<size_t>(first)] = first;
      while (!next.empty()) {
        const int n = next.front();
        next.pop_front();
        around(n, [&](int other) {
          if (shares_[static_cast<size_t>(other)] < kPeopleShare || regions[static_cast<size_t>(other)] >= 0) return;
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

class CameraTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (HasFatalFailure()) return;
    group_ = ShareGroup::create(gl(), nullptr, element_shaders());
    auto camera = Camera::create(group_, FrameKind::kRgba);
    ASSERT_TRUE(camera.ok()) << camera.status().message();
    camera_.emplace(std::move(camera).value());
  }
  void TearDown() override {
    people_.reset();
    camera_.reset();
    group_.reset();
    GlTest::TearDown();
  }

  void make_people(int width, int height) {
    people_.reset();
    auto people = PeopleFinder::create(group_, width, height);
    ASSERT_TRUE(people.ok()) << people.status().message();
    people_.emplace(std::move(people).value());
  }
  std::vector<float> read(const BufferRange& range, size_t floats) const {
    std::vector<float> numbers(floats);
    gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, range.buffer);
    const auto bytes = static_cast<GLsizeiptr>(floats * sizeof(float));
    const void* mapped = gl().MapBufferRange(GL_SHADER_STORAGE_BUFFER, range.offset, bytes, GL_MAP_READ_BIT);
    if (mapped != nullptr) std::memcpy(numbers.data(), mapped, static_cast<size_t>(bytes));
    EXPECT_NE(mapped, nullptr);
    gl().UnmapBuffer(GL_SHADER_STORAGE_BUFFER);
    gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
    return numbers;
  }
  // The mask without other people.
  Rgba find(const Drawing& mask, double seconds = kFrame) {
    const GlTexture texture = upload_mask(gl(), mask.width, mask.height, mask.values);
    const TextureRef ref{texture.id(), GL_TEXTURE_2D, mask.width, mask.height};
    people_->find(ref, {0, 0, 1, 1}, static_cast<float>(seconds), {});
    return download(gl(), people_->main_person(ref).id, mask.width, mask.height);
  }
  Box move(const CameraReference::Scene& scene, const std::vector<Box>& boxes, double seconds = kFrame) {
    SeenPeople seen{Sight::kObjects, {}, {}, {}};
    for (const Box& box : boxes) {
      seen.boxes.push_back({static_cast<float>(box[0]), static_cast<float>(box[1]), static_cast<float>(box[2]),
                            static_cast<float>(box[3])});
    }
    const CameraStyle style{scene.follow, static_cast<float>(scene.max_zoom), static_cast<float>(scene.margin),
                            static_cast<float>(scene.speed)};
    FrameRef nothing;
    nothing.width = nothing.height = 1;
    camera_->move(style, seen, static_cast<float>(scene.frame_aspect), static_cast<float>(scene.output_aspect),
                  static_cast<float>(seconds), nothing, {}, {});
    const std::vector<float> state = read(camera_->state(), 4);
    return {state[0], state[1], state[2], state[3]};
  }

  std::shared_ptr<ShareGroup> group_;
  std::optional<Camera> camera_;
  std::optional<PeopleFinder> people_;
};

double difference(const Box& a, const Box& b) {
  double most = 0;
  for (size_t i = 0; i < 4; ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

class PeopleTest : public CameraTest {
 protected:
  // The share of foreground of `person` that is kept, and of `other` without `person`.
  struct Kept {
    double person = 0, other = 0;
  };
  static Kept kept(const Rgba& mask, const Drawing& person, const Drawing& other) {
    double own = 0, own_kept = 0, others = 0, others_kept = 0;
    for (int y = 0; y < mask.height; ++y) {
      for (int x = 0; x < mask.width; ++x) {
        const double value = mask.at(x, y)[0] / 255.0 / Drawing::kSure;
        if (person.at(x, y) > 0.5F) {
          own += 1;
          own_kept += value;
        } else if (other.at(x, y) > 0.5F) {
          others += 1;
          others_kept += value;
        }
      }
    }
    return {own > 0 ? own_kept / own : 1, others > 0 ? others_kept / others : 0};
  }
  static Drawing both(const Drawing& a, const Drawing& b) {
    Drawing mask = a;
    for (size_t i = 0; i < mask.values.size(); ++i) mask.values[i] = std::max(mask.values[i], b.values[i]);
    return mask;
  }
  static Drawing person(int width, int height, double x, double y, double size) {
    Drawing mask(width, height);
    mask.draw(x, y, size);
    return mask;
  }
};

TEST_F(PeopleTest, MatchesTheReference) {
  std::minstd_rand random(7);
  const auto number = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() % 10000) / 10000;
  };
  int frames = 0, different_cells = 0;
  double most = 0;
  for (const auto& [width, height] : {std::pair{160, 90}, {256, 256}, {37, 61}, {7, 5}, {16, 16}, {144, 256}}) {
    make_people(width, height);
    PeopleReference reference(width, height);
    for (int scene = 0; scene < 3; ++scene) {
      people_->reset();
      reference.reset();
      struct Walker {
        double x, y, size, dx, dy;
      };
      std::vector<Walker> walkers;
      for (int i = 0; i < 2 + scene; ++i) {
        walkers.push_back({number(0, width), number(0.4, 0.8) * height, number(0.3, 0.9) * height,
                           number(-0.02, 0.02) * width, number(-0.01, 0.01) * height});
      }
      for (int i = 0; i < 24; ++i, ++frames) {
        Drawing mask(width, height);
        for (Walker& w : walkers) {
          w.x += w.dx;
          w.y += w.dy;
          if (i % 13 != 12) mask.draw(w.x, w.y, w.size);
        }
        find(mask, kUneven);
        reference.find(mask, kUneven);
        const std::vector<float> boxes = read(people_->people(), 8);
        most = std::max(most, difference({boxes[0], boxes[1], boxes[2], boxes[3]}, reference.main));
        most = std::max(most, difference({boxes[4], boxes[5], boxes[6], boxes[7]}, reference.group));
        const TextureRef cells = people_->cells();
        const Rgba keeps = download(gl(), cells.id, cells.width, cells.height);
        for (size_t n = 0; n < reference.keeps.size(); ++n) {
          different_cells += (keeps.pixels[4 * n] == 255) != reference.keeps[n];
        }
      }
    }
  }
  std::printf("%d masks: boxes differ by at most %.1e, %d cells differ\n", frames, most, different_cells);
  EXPECT_LT(most, 1e-5);
  EXPECT_EQ(different_cells, 0);
}

TEST_F(PeopleTest, ChangesNothingForOnePerson) {
  make_people(160, 90);
  const Drawing one = person(160, 90, 70, 50, 70);
  for (int i = 0; i < 3; ++i) {
    const Rgba mask = find(one);
    for (int y = 0; y < 90; ++y) {
      for (int x = 0; x < 160; ++x) {
        EXPECT_EQ(mask.at(x, y)[0], std::lround(255 * static_cast<double>(one.at(x, y)))) << x << " " << y;
      }
    }
  }
}

// Somebody walks past behind the main person, who sits still.
TEST_F(PeopleTest, RemovesAPasserBy) {
  make_people(256, 144);
  const Drawing main = person(256, 144, 128, 90, 120);
  double least = 1, apart = 0, touching = 0;
  int frames = 0, shown = 0;
  for (double x = 270; x > -20; x -= 3, ++frames) {
    const Drawing other = person(256, 144, x, 70, 80);
    const Kept result = kept(find(both(main, other)), main, other);
    least = std::min(least, result.person);
    const bool is_apart = std::abs(x - 128) > 45;
    (is_apart ? apart : touching) = std::max(is_apart ? apart : touching, result.other);
    shown += result.other > 0.3;
  }
  std::printf(
      "%d frames: at least %.1f %% of the main person, at most %.2f %% of a passer-by apart, %.1f %% of one "
      "who touches, more than 30 %% in %d frames\n",
      frames, 100 * least, 100 * apart, 100 * touching, shown);
  EXPECT_GT(least, 0.93);
  EXPECT_LT(apart, 0.02);
}

// The main person walks past another one.
TEST_F(PeopleTest, StaysWithAPersonWhoWalks) {
  make_people(256, 144);
  const Drawing other = person(256, 144, 160, 80, 90);
  double least = 1;
  Kept last;
  for (double x = 60; x < 230; x += 2) {
    const Drawing main = person(256, 144, x, 85, 110);
    last = kept(find(x < 100 ? main : both(main, other)), main, other);
    least = std::min(least, last.person);
  }
  std::printf("at least %.1f %% of the main person; at the end %.1f %%, and %.1f %% of the other one\n", 100 * least,
              100 * last.person, 100 * last.other);
  EXPECT_GT(least, 0.8);
  EXPECT_GT(last.person, 0.98);
  EXPECT_LT(last.other, 0.02);
}

// The main person gets up and leaves while somebody else stands beside it.
TEST_F(PeopleTest, FollowsAPersonWhoGetsUpBesideAnother) {
  make_people(256, 144);
  const Drawing other = person(256, 144, 170, 80, 90);
  double least = 1, sum = 0;
  int frames = 0;
  for (int i = 0; i < 75; ++i, ++frames) {
    const Drawing main = person(256, 144, 130 - std::max(0, i - 30) * 2.0, 85, 110);
    const Kept result = kept(find(both(main, other)), main, other);
    least = std::min(least, result.person);
    sum += result.person;
  }
  std::printf("at least %.1f %% of the main person, %.1f %% on average\n", 100 * least, 100 * sum / frames);
  EXPECT_GT(least, 0.7);
}

TEST_F(PeopleTest, ChoosesTheLargestMostCentralAndWaitsBeforeItChoosesAgain) {
  make_people(256, 144);
  const Drawing small = person(256, 144, 40, 80, 70), large = person(256, 144, 140, 80, 110);
  const Kept first = kept(find(both(small, large)), large, small);
  EXPECT_GT(first.person, 0.98);
  EXPECT_LT(first.other, 0.02);
  // Hidden for a moment, and back.
  for (int i = 0; i < 20; ++i) EXPECT_LT(kept(find(small), small, small).person, 0.02) << i;
  EXPECT_GT(kept(find(both(small, large)), large, small).person, 0.98);
  // Gone.
  int frames = 0;
  while (frames < 90 && kept(find(small), small, small).person < 0.9) ++frames;
  std::printf("another person after %d frames\n", frames);
  EXPECT_GE(frames, 29);
  EXPECT_LE(frames, 33);
  // A cut: at once.
  people_->reset();
  EXPECT_GT(kept(find(both(small, large)), large, small).person, 0.98);
}

TEST_F(CameraTest, MatchesTheReference) {
  std::minstd_rand random(3);
  std::normal_distribution<double> normal(0, 1);
  double most = 0;
  int frames = 0;
  for (const Follow follow : {Follow::kPerson, Follow::kGroup, Follow::kNone}) {
    for (const double output : {16.0 / 9, 1.0, 9.0 / 16, 3.0}) {
      const CameraReference::Scene scene{follow, 16.0 / 9, output, 2.5 + output, 0.05 * output, 0.5 + output};
      CameraReference reference;
      camera_->reset();
      std::array<Box, 2> people{{{0.3, 0.2, 0.5, 0.9}, {0.7, 0.3, 0.8, 0.8}}};
      std::array<double, 2> speeds{0.1, -0.05};
      for (int i = 0; i < 300; ++i, ++frames) {
        std::vector<Box> boxes;
        for (size_t n = 0; n < 2; ++n) {
          if (random() % 60 == 0) speeds[n] = 0.2 * normal(random);
          for (size_t side = 0; side < 4; ++side) {
            people[n][side] += (side % 2 == 0 ? speeds[n] * kFrame : 0) + 0.002 * normal(random);
          }
          if (i % 100 < 60 || n == 0) boxes.push_back(people[n]);
        }
        if (i > 220) boxes.clear();
        const double seconds = i % 7 == 0 ? 0.0973 : kUneven;
        const Box part = move(scene, boxes, seconds);
        reference.move(scene, boxes, seconds);
        most = std::max(most, difference(part, reference.part));
      }
    }
  }
  std::printf("%d moves: views differ by at most %.1e\n", frames, most);
  EXPECT_LT(most, 2e-3);
}

// What an operator would do, in heights of the view and seconds.
struct Motion {
  double speed = 0, acceleration = 0, jerk = 0;
};
Motion motion_of(const std::vector<Box>& parts, double aspect, double seconds) {
  Motion most;
  std::vector<std::array<double, 3>> views;
  for (const Box& part : parts) {
    const double height = part[3] - part[1];
    views.push_back({(part[0] + part[2]) / 2 * aspect, (part[1] + part[3]) / 2, height});
  }
  const auto along = [&](size_t i, int order, size_t axis) {
    const auto v = [&](size_t n) { return views[n][axis]; };
    if (order == 1) return (v(i + 1) - v(i)) / seconds;
    if (order == 2) return (v(i + 2) - 2 * v(i + 1) + v(i)) / seconds / seconds;
    return (v(i + 3) - 3 * v(i + 2) + 3 * v(i + 1) - v(i)) / std::pow(seconds, 3);
  };
  for (size_t i = 0; i + 3 < views.size(); ++i) {
    const auto size = [&](int order) { return std::hypot(along(i, order, 0), along(i, order, 1)) / views[i][2]; };
    most.speed = std::max(most.speed, size(1));
    most.acceleration = std::max(most.acceleration, size(2));
    most.jerk = std::max(most.jerk, size(3));
  }
  return most;
}

TEST_F(CameraTest, MovesSoftlyAndArrivesWithoutOvershoot) {
  const CameraReference::Scene scene;
  const Box left{0.1, 0.3, 0.25, 0.9}, right{0.75, 0.3, 0.9, 0.9};
  std::vector<Box> parts;
  for (int i = 0; i < 30; ++i) parts.push_back(move(scene, {left}));
  EXPECT_LT(difference(parts.front(), parts.back()), 1e-6) << "it begins where people are, and rests";
  // Of another person, who is in view once the first is gone.
  double time = 0, overshoot = 0;
  for (int i = 0; i < 150; ++i) {
    parts.push_back(move({.follow = Follow::kGroup}, {right}));
    if (parts.back()[2] < 0.999 * std::min(1.0, parts[30][2] + 0.65)) time = (i + 1) * kFrame;
  }
  const Box end = parts.back();
  for (size_t i = 30; i < parts.size(); ++i) overshoot = std::max(overshoot, parts[i][0] - end[0]);
  const Motion motion = motion_of(parts, scene.frame_aspect, kFrame);
  std::printf("a pan over %.2f of the frame: %.2f s, overshoot %.4f; at most %.2f heights/s, %.2f /s^2, %.1f /s^3\n",
              end[0] - parts.front()[0], time, overshoot, motion.speed, motion.acceleration, motion.jerk);
  EXPECT_LE(end[0], right[0]);
  EXPECT_GE(end[2], right[2]);
  EXPECT_LT(overshoot, 1e-4);
  EXPECT_LT(motion.speed, 1.05 * kCameraFastest);
  EXPECT_LT(motion.acceleration, 6);
  const double twice = 2 * kCameraRate;
  EXPECT_LT(motion.jerk, 3 * kCameraFastest * twice * twice);
}

TEST_F(CameraTest, RestsWhilePeopleStayAboutWhereTheyAre) {
  std::minstd_rand random(5);
  std::normal_distribution<double> normal(0, 1);
  const CameraReference::Scene scene;
  Box first{}, last{};
  double most = 0;
  for (int i = 0; i < 600; ++i) {
    // Breathing, gestures, and the noise of a detector.
    const double sway = 0.015 * std::sin(i / 20.0);
    Box box{0.4 + sway, 0.3, 0.55 + sway, 1};
    for (double& side : box) side += 0.003 * normal(random);
    last = move(scene, {box});
    if (i == 0) first = last;
    most = std::max(most, difference(first, last));
  }
  std::printf("20 s of swaying by 1.5 %% of the frame: the view moves by at most %.4f\n", most);
  EXPECT_LT(most, 1e-6);
}

TEST_F(CameraTest, GoesBackToTheWholeFrameWithoutPeople) {
  const CameraReference::Scene scene;
  for (int i = 0; i < 10; ++i) move(scene, {{0.1, 0.3, 0.25, 0.9}});
  const Box before = move(scene, {});
  EXPECT_GT(before[2] - before[0], 0.3);
  EXPECT_LT(before[2] - before[0], 0.9);
  Box part = before;
  int rests = 0, frames = 0;
  for (; frames < 300 && difference(part, {0, 0, 1, 1}) > 1e-3; ++frames) {
    part = move(scene, {});
    rests += difference(part, before) < 1e-6;
  }
  std::printf("rests for %d frames, and shows the whole frame after %d\n", rests, frames);
  EXPECT_GE(rests, 27);
  EXPECT_LE(rests, 34);
  EXPECT_LT(frames, 150);
}

// The same walk at several frame rates: the same view at the same time.
TEST_F(CameraTest, IsTheSameAtEveryFrameRate) {
  std::vector<Box> ends;
  for (const int rate : {15, 30, 60, 120}) {
    camera_->reset();
    Box part{};
    for (int i = 0; i <= 3 * rate; ++i) {
      const double x = 0.1 + 0.2 * std::min(static_cast<double>(i) / rate, 2.0);
      part = move({}, {{x, 0.3, x + 0.15, 0.9}}, i == 0 ? 0 : 1.0 / rate);
    }
    ends.push_back(part);
    std::printf("%d frames per second: %.4f to %.4f\n", rate, part[0], part[2]);
  }
  for (const Box& end : ends) EXPECT_LT(difference(end, ends.back()), 0.02);
}

TEST_F(CameraTest, DrawsTheFrameBitForBitWithoutZoom) {
  std::minstd_rand random(1);
  const Rgba frame = painted(61, 47, [&](int32_t, int32_t) {
    return std::array{random() % 256, random() % 256, random() % 256};
  });
  const GlTexture texture = upload(gl(), frame), output = make_texture(gl(), GL_RGBA8, 61, 47);
  const FrameRef ref{TextureRef{texture.id(), GL_TEXTURE_2D, 61, 47}};
  camera_->move({.follow = Follow::kNone}, {}, 61.0F / 47, 61.0F / 47, 0, ref, {}, {});
  ASSERT_TRUE(camera_->draw(ref, {output.id(), GL_TEXTURE_2D, 61, 47}).ok());
  const Rgba drawn = download(gl(), output.id(), 61, 47);
  int most = 0;
  for (size_t i = 0; i < frame.pixels.size(); ++i) most = std::max(most, std::abs(frame.pixels[i] - drawn.pixels[i]));
  EXPECT_EQ(most, 0);
}

}  // namespace
}  // namespace sightglass::test
