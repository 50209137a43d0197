// TFLite_Detection_PostProcess: boxes from anchors, and suppression of boxes that overlap a better one.
#include <algorithm>
#include <cmath>
#include <functional>

#include "graph/detection.h"
#include "graph/stable_sort.h"
#include "ref/kernels.h"

namespace sightglass::ref {

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

}  // namespace sightglass::ref
