#include "detect_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "harness/read_buffer.h"

namespace sightglass::test {

namespace {

struct Candidate {
  double score = 0;
  int class_id = 0;
  std::array<double, 4> box{};
  std::vector<std::array<double, 2>> points;
};

double overlap(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  const double width = std::max(0.0, std::min(a[2], b[2]) - std::max(a[0], b[0]));
  const double height = std::max(0.0, std::min(a[3], b[3]) - std::max(a[1], b[1]));
  const double both = width * height;
  return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both);
}

Candidate candidate_at(const SsdLayout& layout, const float* box, const float* scores, const Anchor& anchor) {
  Candidate c;
  const auto best = std::max_element(scores + layout.background, scores + layout.classes);
  c.class_id = static_cast<int>(best - scores);
  const double limit = layout.logit_limit;
  c.score = layout.logits ? 1 / (1 + std::exp(-std::clamp<double>(*best, -limit, limit))) : *best;
  const int x = layout.y_first ? 1 : 0, y = 1 - x;
  const double middle_x = box[x] / layout.x_scale * anchor.width + anchor.x;
  const double middle_y = box[y] / layout.y_scale * anchor.height + anchor.y;
  const auto size = [&](float number, float scale) {
    return layout.exponential_sizes ? std::exp(double{number} / scale) : double{number} / scale;
  };
  const double width = size(box[2 + x], layout.width_scale) * anchor.width;
  const double height = size(box[2 + y], layout.height_scale) * anchor.height;
  c.box = {middle_x - width / 2, middle_y - height / 2, middle_x + width / 2, middle_y + height / 2};
  for (int32_t i = 0; i < layout.points; ++i) {
    const float* point = box + layout.first_point + i * layout.point_values;
    c.points.push_back(
        {point[x] / layout.x_scale * anchor.width + anchor.x, point[y] / layout.y_scale * anchor.height + anchor.y});
  }
  return c;
}

// The average, weighted by the scores.
Candidate average(const Candidate& best, const std::vector<Candidate>& all) {
  Candidate mean = best;
  mean.box = {};
  for (auto& point : mean.points) point = {};
  double weight = 0;
  for (const Candidate& c : all) {
    weight += c.score;
    for (size_t k = 0; k < 4; ++k) mean.box[k] += c.score * c.box[k];
    for (size_t k = 0; k < c.points.size(); ++k) {
      for (size_t axis = 0; axis < 2; ++axis) mean.points[k][axis] += c.score * c.points[k][axis];
    }
  }
  for (double& v : mean.box) v /= weight;
  for (auto& point : mean.points) {
    for (double& v : point) v /= weight;
  }
  return mean;
}

}  // namespace

std::vector<Detection> reference_ssd(const SsdLayout& layout, const std::vector<float>& boxes,
                                     const std::vector<float>& scores, const InputTransform& to_upright,
                                     const SsdChoice& choice) {
  std::vector<Candidate> left;
  for (size_t i = 0; i < layout.anchors.size(); ++i) {
    Candidate c = candidate_at(layout, boxes.data() + i * static_cast<size_t>(layout.values),
                               scores.data() + i * static_cast<size_t>(layout.classes), layout.anchors[i]);
    if (c.score >= choice.threshold && c.box[2] > c.box[0] && c.box[3] > c.box[1]) left.push_back(std::move(c));
  }
  std::ranges::stable_sort(left, std::ranges::greater{}, &Candidate::score);
  const auto map = [&m = to_upright.m](double x, double y) {
    return std::array<float, 2>{static_cast<float>(m[0] * x + m[1] * y + m[2]),
                                static_cast<float>(m[3] * x + m[4] * y + m[5])};
  };
  std::vector<Detection> found;
  while (!left.empty() && found.size() < static_cast<size_t>(choice.most)) {
    const Candidate best = left.front();
    std::vector<Candidate> one, others;
    for (size_t i = 0; i < left.size(); ++i) {
      const bool same = i == 0 || overlap(best.box, left[i].box) > double{choice.iou_threshold};
      (same ? one : others).push_back(left[i]);
    }
    const Candidate result = choice.weighted ? average(best, one) : best;
    Detection detection;
    const auto low = map(result.box[0], result.box[1]), high = map(result.box[2], result.box[3]);
    detection.box = {low[0], low[1], high[0], high[1]};
    detection.score = static_cast<float>(result.score);
    detection.class_id = result.class_id;
    detection.points_count = layout.points;
    for (size_t k = 0; k < result.points.size(); ++k) {
      detection.points[k] = map(result.points[k][0], result.points[k][1]);
    }
    found.push_back(detection);
    left = std::move(others);
  }
  return found;
}

std::vector<Detection> reference_faces(const FaceLayout& layout, const std::array<FaceRows, kMostFaceLayers>& layers,
                                       const InputTransform& to_upright, SsdChoice choice) {
  SsdLayout ssd;
  ssd.anchors.assign(static_cast<size_t>(layout.boxes()), {});
  ssd.points = layout.points;
  ssd.values = 4 + 2 * layout.points;
  ssd.logits = false;
  std::vector<float> boxes, scores;
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  for (size_t l = 0; l < layers.size() && layout.strides[l] > 0; ++l) {
    const FaceRows& rows = layers[l];
    const double stride = layout.strides[l];
    const int columns = (layout.width + layout.strides[l] - 1) / layout.strides[l];
    for (size_t n = 0; n < rows.box.size() / 4; ++n) {
      const auto anchors = static_cast<size_t>(layout.anchors);
      const auto column = static_cast<double>(n / anchors % static_cast<size_t>(columns));
      const auto row = static_cast<double>(n / anchors / static_cast<size_t>(columns));
      const float* b = rows.box.data() + 4 * n;
      double x = 0, y = 0, width = 0, height = 0, score = 0, origin_x = column * stride, origin_y = row * stride;
      double unit = stride;
      switch (layout.kind) {
        case FaceKind::kScrfd: {
          const double left = origin_x - b[0] * stride, right = origin_x + b[2] * stride;
          const double top = origin_y - b[1] * stride, bottom = origin_y + b[3] * stride;
          x = (left + right) / 2, y = (top + bottom) / 2, width = right - left, height = bottom - top;
          score = layout.logits ? sigmoid(rows.score[n]) : rows.score[n];
          break;
        }
        case FaceKind::kYuNet: {
          x = (column + b[0]) * stride, y = (row + b[1]) * stride;
          width = std::exp(b[2]) * stride, height = std::exp(b[3]) * stride;
          const double face = layout.logits ? sigmoid(rows.score[n]) : rows.score[n];
          const double object = layout.logits ? sigmoid(rows.other_score[n]) : rows.other_score[n];
          score = std::sqrt(std::clamp(face, 0.0, 1.0) * std::clamp(object, 0.0, 1.0));
          break;
        }
        case FaceKind::kDbFace: {
          const double left = origin_x - b[0] * stride, right = origin_x + b[2] * stride;
          const double top = origin_y - b[1] * stride, bottom = origin_y + b[3] * stride;
          x = (left + right) / 2, y = (top + bottom) / 2, width = right - left, height = bottom - top;
          score = layout.logits ? sigmoid(rows.score[n]) : rows.score[n];
          const auto lines = static_cast<double>(rows.box.size() / 4 / static_cast<size_t>(columns));
          for (double v = std::max(row - 1, 0.0); v <= std::min(row + 1, lines - 1); ++v) {
            for (double u = std::max(column - 1, 0.0); u <= std::min(column + 1, columns - 1.0); ++u) {
              const auto other = static_cast<size_t>(v * columns + u);
              const bool is_before = other < n && rows.score[other] == rows.score[n];
              if (rows.score[other] > rows.score[n] || is_before) score = -1;
            }
          }
          break;
        }
        case FaceKind::kRetinaFace: {
          const double side = layout.anchor_sizes[l][n % anchors];
          origin_x += stride / 2, origin_y += stride / 2;
          unit = 0.1 * side;
          x = origin_x + b[0] * unit, y = origin_y + b[1] * unit;
          width = side * std::exp(0.2 * b[2]), height = side * std::exp(0.2 * b[3]);
          const double none = rows.score[2 * n], face = rows.score[2 * n + 1];
          score = layout.logits ? std::exp(face) / (std::exp(none) + std::exp(face)) : face;
          break;
        }
      }
      for (const double v : {x / layout.width, y / layout.height, width / layout.width, height / layout.height}) {
        boxes.push_back(static_cast<float>(v));
      }
      for (size_t k = 0; k < static_cast<size_t>(layout.points); ++k) {
        const auto points = static_cast<size_t>(layout.points);
        const float* const all = rows.points.data() + 2 * n * points;
        std::array<double, 2> point{all[2 * k], all[2 * k + 1]};
        if (layout.kind == FaceKind::kDbFace) {
          point = {4.0 * all[k], 4.0 * all[points + k]};
          for (double& v : point) v = std::abs(v) < 1 ? v * std::exp(1.0) : std::copysign(std::exp(std::abs(v)), v);
        }
        boxes.push_back(static_cast<float>((origin_x + point[0] * unit) / layout.width));
        boxes.push_back(static_cast<float>((origin_y + point[1] * unit) / layout.height));
      }
      scores.push_back(score >= 0 && score <= 1 ? static_cast<float>(score) : -1);
    }
  }
  choice.weighted = false;
  return reference_ssd(ssd, boxes, scores, to_upright, choice);
}

// In the arithmetic of floats for scores and boxes, so that ties are ties here, too.
std::vector<Detection> reference_yolo(const YoloLayout& layout, const std::vector<float>& output,
                                      const InputTransform& to_upright, const SsdChoice& choice) {
  const auto value = [&](int32_t row, int32_t i) {
    const int64_t at = layout.boxes_last ? int64_t{i} * layout.boxes + row : int64_t{row} * layout.values + i;
    return output[static_cast<size_t>(at)];
  };
  struct Found {
    float score = 0;
    int32_t class_id = 0, row = 0;
    std::array<double, 4> box{};
  };
  std::vector<Found> left;
  float largest = 0;
  for (int32_t row = 0; row < layout.boxes; ++row) {
    float a = value(row, 0), b = value(row, 1), c = value(row, 2), d = value(row, 3);
    int32_t in_layer = row;
    for (const int32_t stride : layout.strides) {
      if (stride == 0) break;
      const int32_t columns = (layout.width + stride - 1) / stride, rows = (layout.height + stride - 1) / stride;
      if (in_layer < columns * rows) {
        const auto pixels = static_cast<float>(stride);
        a = (a + static_cast<float>(in_layer % columns)) * pixels;
        b = (b + static_cast<float>(in_layer / columns)) * pixels;
        c = std::exp(c) * pixels;
        d = std::exp(d) * pixels;
        break;
      }
      in_layer -= columns * rows;
    }
    const float x = layout.ranked ? 0.5f * (a + c) : a, y = layout.ranked ? 0.5f * (b + d) : b;
    for (const float middle : {x, y}) {
      if (middle > largest && middle < 1e9f) largest = middle;
    }
    Found found;
    found.row = row;
    if (layout.ranked) {
      found.score = value(row, 4);
      found.class_id = static_cast<int32_t>(std::lround(value(row, 5)));
      found.box = {a, b, c, d};
    } else {
      const int32_t first = layout.objectness ? 5 : 4;
      found.score = -1;
      for (int32_t k = 0; k < layout.classes; ++k) {
        if (!(value(row, first + k) > found.score)) continue;
        found.score = value(row, first + k);
        found.class_id = k;
      }
      if (layout.objectness) found.score *= value(row, 4);
      found.box = {a - 0.5f * c, b - 0.5f * d, a + 0.5f * c, b + 0.5f * d};
    }
    const auto& box = found.box;
    const bool is_box =
        box[2] > box[0] && box[3] > box[1] && std::ranges::all_of(box, [](double v) { return std::abs(v) < 1e9; });
    if (is_box && found.score >= choice.threshold) left.push_back(found);
  }
  std::ranges::stable_sort(left, std::ranges::greater{}, &Found::score);
  const double across = largest > 8 ? layout.width : 1, down = largest > 8 ? layout.height : 1;
  const auto map = [&](double x, double y) {
    const auto& m = to_upright.m;
    x /= across;
    y /= down;
    return std::array<float, 2>{static_cast<float>(m[0] * x + m[1] * y + m[2]),
                                static_cast<float>(m[3] * x + m[4] * y + m[5])};
  };
  std::vector<Detection> results;
  while (!left.empty() && results.size() < static_cast<size_t>(choice.most)) {
    const Found best = left.front();
    std::erase_if(left, [&](const Found& other) {
      if (other.row == best.row) return true;
      return !layout.ranked && other.class_id == best.class_id &&
             overlap(best.box, other.box) > double{choice.iou_threshold};
    });
    const auto low = map(best.box[0], best.box[1]), high = map(best.box[2], best.box[3]);
    Detection& result = results.emplace_back();
    result.box = {std::min(low[0], high[0]), std::min(low[1], high[1]), std::max(low[0], high[0]),
                  std::max(low[1], high[1])};
    result.score = best.score;
    result.class_id = best.class_id;
    result.row = best.row;
  }
  return results;
}

std::vector<Detection> reference_distributions(const YoloLayout& layout, const std::vector<float>& output,
                                               const InputTransform& to_upright, const SsdChoice& choice) {
  YoloLayout plain{layout.boxes, kBoxValues + layout.classes, false, layout.classes};
  plain.width = layout.width;
  plain.height = layout.height;
  std::vector<float> rows;
  int32_t row = 0;
  for (const int32_t stride : layout.strides) {
    if (stride == 0) break;
    const int32_t columns = (layout.width + stride - 1) / stride, lines = (layout.height + stride - 1) / stride;
    const double corner = layout.strides[3] > 0 ? 0 : 0.5;
    for (int32_t cell = 0; cell < columns * lines; ++cell, ++row) {
      const auto value = [&](int32_t i) {
        const int64_t at = layout.boxes_last ? int64_t{i} * layout.boxes + row : int64_t{row} * layout.values + i;
        return output[static_cast<size_t>(at)];
      };
      std::array<double, 4> sides{};
      for (int32_t side = 0; side < 4; ++side) {
        double sum = 0, weighted = 0;
        for (int32_t bin = 0; bin < layout.bins; ++bin) {
          const double weight = std::exp(double{value(layout.classes + side * layout.bins + bin)});
          sum += weight;
          weighted += bin * weight;
        }
        sides[static_cast<size_t>(side)] = weighted / sum;
      }
      const double x = cell % columns + corner, y = cell / columns + corner;
      const double left = (x - sides[0]) * stride / layout.width, right = (x + sides[2]) * stride / layout.width;
      const double top = (y - sides[1]) * stride / layout.height, bottom = (y + sides[3]) * stride / layout.height;
      for (const double v : {(left + right) / 2, (top + bottom) / 2, right - left, bottom - top}) {
        rows.push_back(static_cast<float>(v));
      }
      for (int32_t c = 0; c < layout.classes; ++c) rows.push_back(value(c));
    }
  }
  return reference_yolo(plain, rows, to_upright, choice);
}

std::vector<Detection> reference_grid(const YoloLayout& layout, const std::vector<float>& output,
                                      const InputTransform& to_upright, const SsdChoice& choice) {
  const int32_t columns = layout.grid_columns, rows = layout.boxes / columns;
  const auto score = [&](int32_t x, int32_t y, int32_t c) {
    const float* const cell = output.data() + (int64_t{y} * columns + x) * layout.values;
    if (!layout.logits) return double{cell[c]};
    const double top = *std::max_element(cell, cell + layout.values);
    double sum = 0;
    for (int32_t k = 0; k < layout.values; ++k) sum += std::exp(cell[k] - top);
    return std::exp(cell[c] - top) / sum;
  };
  std::vector<Detection> found;
  for (int32_t y = 0; y < rows; ++y) {
    for (int32_t x = 0; x < columns; ++x) {
      int32_t best = 1;
      for (int32_t c = 2; c < layout.values; ++c) {
        if (score(x, y, c) > score(x, y, best)) best = c;
      }
      const double own = score(x, y, best);
      bool is_peak = own >= double{choice.threshold};
      for (int32_t v = std::max(y - 1, 0); v <= std::min(y + 1, rows - 1); ++v) {
        for (int32_t u = std::max(x - 1, 0); u <= std::min(x + 1, columns - 1); ++u) {
          const double other = score(u, v, best);
          const bool is_before = v < y || (v == y && u < x);
          is_peak = is_peak && !(other > own || (is_before && other == own));
        }
      }
      if (!is_peak) continue;
      const auto& m = to_upright.m;
      const auto place = [&](int32_t column, int32_t row) {
        const double px = double{1} * column / columns, py = double{1} * row / rows;
        return std::array<float, 2>{static_cast<float>(m[0] * px + m[1] * py + m[2]),
                                    static_cast<float>(m[3] * px + m[4] * py + m[5])};
      };
      const auto low = place(x, y), high = place(x + 1, y + 1);
      Detection& result = found.emplace_back();
      result.box = {low[0], low[1], high[0], high[1]};
      result.score = static_cast<float>(own);
      result.class_id = best - 1;
      result.row = y * columns + x;
    }
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &Detection::score);
  if (found.size() > static_cast<size_t>(choice.most)) found.resize(static_cast<size_t>(choice.most));
  return found;
}

std::vector<Detection> reference_cell_anchors(const YoloLayout& layout, const std::vector<float>& output,
                                              const InputTransform& to_upright, const SsdChoice& choice) {
  YoloLayout plain{layout.boxes, kBoxValues + layout.classes, false, layout.classes};
  plain.width = layout.width;
  plain.height = layout.height;
  const auto logistic = [](double x) { return 1 / (1 + std::exp(-x)); };
  const int32_t lines = layout.boxes / (layout.grid_columns * layout.cell_anchors);
  std::vector<float> rows;
  for (int32_t n = 0; n < layout.boxes; ++n) {
    const int32_t cell = n / layout.cell_anchors, x = cell % layout.grid_columns, y = cell / layout.grid_columns;
    const auto& size = layout.anchor_sizes[static_cast<size_t>(n % layout.cell_anchors)];
    const float* const box = output.data() + int64_t{n} * layout.values;
    for (const double v : {(x + logistic(box[0])) / layout.grid_columns, (y + logistic(box[1])) / lines,
                           size[0] * std::exp(double{box[2]}), size[1] * std::exp(double{box[3]})}) {
      rows.push_back(static_cast<float>(v));
    }
    double sum = 0;
    for (int32_t c = 0; c < layout.classes; ++c) sum += std::exp(double{box[5 + c]});
    for (int32_t c = 0; c < layout.classes; ++c) {
      rows.push_back(static_cast<float>(logistic(box[4]) * std::exp(double{box[5 + c]}) / sum));
    }
  }
  return reference_yolo(plain, rows, to_upright, choice);
}

std::vector<Detection> reference_centers(const YoloLayout& layout, const CenterMaps& maps,
                                         const InputTransform& to_upright, const SsdChoice& choice) {
  const int32_t columns = layout.grid_columns, lines = layout.boxes / columns, classes = layout.classes;
  YoloLayout plain{layout.boxes, kBoxValues + classes, false, classes};
  plain.width = layout.width;
  plain.height = layout.height;
  const auto score = [&](int32_t x, int32_t y, int32_t c) {
    return maps.scores[static_cast<size_t>((int64_t{y} * columns + x) * classes + c)];
  };
  std::vector<float> rows;
  for (int32_t y = 0; y < lines; ++y) {
    for (int32_t x = 0; x < columns; ++x) {
      const size_t cell = static_cast<size_t>(y * columns + x);
      int32_t best = -1;
      for (int32_t c = 0; c < classes; ++c) {
        if (!std::isnan(score(x, y, c)) && (best < 0 || score(x, y, c) > score(x, y, best))) best = c;
      }
      bool is_peak = best >= 0;
      for (int32_t v = std::max(y - 1, 0); is_peak && v <= std::min(y + 1, lines - 1); ++v) {
        for (int32_t u = std::max(x - 1, 0); is_peak && u <= std::min(x + 1, columns - 1); ++u) {
          const bool is_before = v < y || (v == y && u < x);
          const float other = score(u, v, best), own = score(x, y, best);
          is_peak = !(other > own || (is_before && other == own));
        }
      }
      rows.push_back((static_cast<float>(x) + maps.offsets[2 * cell]) / static_cast<float>(columns));
      rows.push_back((static_cast<float>(y) + maps.offsets[2 * cell + 1]) / static_cast<float>(lines));
      rows.push_back(maps.sizes[2 * cell] / static_cast<float>(columns));
      rows.push_back(maps.sizes[2 * cell + 1] / static_cast<float>(lines));
      for (int32_t c = 0; c < classes; ++c) {
        const double own = score(x, y, c), logistic = layout.logits ? 1 / (1 + std::exp(-own)) : own;
        rows.push_back(is_peak && c == best ? static_cast<float>(logistic) : -1);
      }
    }
  }
  return reference_yolo(plain, rows, to_upright, choice);
}

namespace {

// The assignment of rows to columns with the largest sum of values, of which only those above 0 count: the Hungarian
// method with potentials. Returns the column of each row; -1: none.
std::vector<int> best_assignment(const std::vector<std::vector<double>>& values, size_t columns) {
  const size_t rows = values.size(), size = std::max(rows, columns);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto cost = [&](size_t row, size_t column) {
    return row < rows && column < columns ? -std::max(values[row][column], 0.0) : 0.0;
  };
  std::vector<double> u(size + 1), v(size + 1);
  std::vector<size_t> row_of(size + 1), way(size + 1);  // from 1 on; 0: none
  for (size_t row = 1; row <= size; ++row) {
    std::vector<double> least(size + 1, kInfinity);
    std::vector<bool> used(size + 1);
    size_t column = 0;
    row_of[0] = row;
    do {
      used[column] = true;
      size_t next = 0;
      double delta = kInfinity;
      for (size_t j = 1; j <= size; ++j) {
        if (used[j]) continue;
        const double reduced = cost(row_of[column] - 1, j - 1) - u[row_of[column]] - v[j];
        if (reduced < least[j]) {
          least[j] = reduced;
          way[j] = column;
        }
        if (least[j] < delta) {
          delta = least[j];
          next = j;
        }
      }
      for (size_t j = 0; j <= size; ++j) {
        if (used[j]) {
          u[row_of[j]] += delta;
          v[j] -= delta;
        } else {
          least[j] -= delta;
        }
      }
      column = next;
    } while (row_of[column] != 0);
    for (; column != 0; column = way[column]) row_of[column] = row_of[way[column]];
  }
  std::vector<int> assigned(rows, -1);
  for (size_t j = 1; j <= columns; ++j) {
    const size_t row = row_of[j] - 1;
    if (row >= rows || values[row][j - 1] <= 0) continue;
    assigned[row] = static_cast<int>(j - 1);
  }
  return assigned;
}

std::array<double, 4> corners_of(const std::array<double, 4>& b) {
  return {b[0] - b[2] / 2, b[1] - b[3] / 2, b[0] + b[2] / 2, b[1] + b[3] / 2};
}
double squared(double v) { return v * v; }

}  // namespace

void ReferenceTracker::predict(Track& track, double seconds) const {
  const double frames = seconds * double{kTrackedFrameRate};
  if (track.lost > 0) track.axes[2].speed = track.axes[3].speed = 0;
  for (Axis& axis : track.axes) axis.value += frames * axis.speed;
  for (size_t k = 0; k < 4; ++k) {
    Axis& axis = track.axes[k];
    const double size = track.axes[2 + k % 2].value;
    axis.variance +=
        frames * (2 * axis.covariance + frames * axis.speed_variance) + frames * squared(double{kPlaceNoise} * size);
    axis.covariance += frames * axis.speed_variance;
    axis.speed_variance += frames * squared(double{kSpeedNoise} * size);
  }
}

void ReferenceTracker::correct(Track& track, const std::array<double, 4>& box) {
  const std::array<double, 2> sizes{track.axes[2].value, track.axes[3].value};
  for (size_t k = 0; k < 4; ++k) {
    Axis& axis = track.axes[k];
    const double total = axis.variance + squared(double{kPlaceNoise} * sizes[k % 2]);
    const double gain = axis.variance / total, speed_gain = axis.covariance / total, off = box[k] - axis.value;
    axis.value += gain * off;
    axis.speed += speed_gain * off;
    axis.speed_variance -= speed_gain * axis.covariance;
    axis.covariance -= gain * axis.covariance;
    axis.variance -= gain * axis.variance;
  }
}

std::vector<Detection> ReferenceTracker::run(const std::vector<Detection>& detections, const TrackOptions& options) {
  const double seconds = options.seconds;
  std::erase_if(tracks_, [&](const Track& t) { return seconds < 0 || t.lost > double{kLostSeconds}; });
  std::vector<std::array<double, 4>> boxes;
  for (const Detection& d : detections) boxes.push_back({d.box[0], d.box[1], d.box[2], d.box[3]});
  const auto center_and_size = [&](size_t i) {
    const auto& b = boxes[i];
    return std::array{(b[0] + b[2]) / 2, (b[1] + b[3]) / 2, b[2] - b[0], b[3] - b[1]};
  };
  const auto is_box = [&](size_t i) { return boxes[i][2] > boxes[i][0] && boxes[i][3] > boxes[i][1]; };
  const auto is_sure = [&](size_t i) { return is_box(i) && detections[i].score >= options.threshold; };
  std::vector<bool> was_found;
  for (Track& track : tracks_) {
    was_found.push_back(track.lost == 0);
    predict(track, seconds);
  }
  std::vector<int> of_track(tracks_.size(), -1), of_detection(detections.size(), -1);
  for (const bool sure : {true, false}) {
    const double least = double{sure ? kSureOverlap : kUnsureOverlap};
    std::vector<std::vector<double>> values(tracks_.size(), std::vector<double>(detections.size()));
    for (size_t t = 0; t < tracks_.size(); ++t) {
      if (of_track[t] >= 0 || (!sure && !was_found[t])) continue;
      const auto& a = tracks_[t].axes;
      const auto corners = corners_of({a[0].value, a[1].value, a[2].value, a[3].value});
      for (size_t d = 0; d < detections.size(); ++d) {
        const bool counts = sure ? is_sure(d) : is_box(d) && !is_sure(d) && detections[d].score >= kUnsureScore;
        if (counts && detections[d].class_id == tracks_[t].class_id) values[t][d] = overlap(corners, boxes[d]) - least;
      }
    }
    const std::vector<int> assigned = best_assignment(values, detections.size());
    for (size_t t = 0; t < tracks_.size(); ++t) {
      if (assigned[t] < 0) continue;
      of_track[t] = assigned[t];
      of_detection[static_cast<size_t>(assigned[t])] = static_cast<int>(t);
    }
  }
  for (size_t t = 0; t < tracks_.size(); ++t) {
    if (of_track[t] >= 0) {
      correct(tracks_[t], center_and_size(static_cast<size_t>(of_track[t])));
      tracks_[t].lost = 0;
    } else {
      tracks_[t].lost += std::max(seconds, 1e-6);
    }
  }
  std::vector<Detection> results;
  for (size_t d = 0; d < detections.size(); ++d) {
    if (of_detection[d] < 0 && is_sure(d)) {
      Track track;
      const auto box = center_and_size(d);
      for (size_t k = 0; k < 4; ++k) {
        const double size = box[2 + k % 2];
        track.axes[k] = {box[k], 0, squared(2 * double{kPlaceNoise} * size), 0,
                         squared(10 * double{kSpeedNoise} * size)};
      }
      track.id = ++last_id_;
      track.class_id = detections[d].class_id;
      if (tracks_.size() == kMaxTracks) {  // in place of the one that was lost first
        const auto longest = std::ranges::max_element(tracks_, {}, &Track::lost);
        of_detection[d] = static_cast<int>(longest - tracks_.begin());
        *longest = track;
      } else {
        of_detection[d] = static_cast<int>(tracks_.size());
        tracks_.push_back(track);
      }
    }
    if (of_detection[d] < 0 || results.size() >= static_cast<size_t>(options.most)) continue;
    Detection& result = results.emplace_back(detections[d]);
    result.id = tracks_[static_cast<size_t>(of_detection[d])].id;
  }
  return results;
}

AnchorGrid short_range_face() { return {128, 128, {8, 16, 16, 16}}; }

std::vector<Detection> read_detections(const GlApi& gl, GLuint buffer) {
  const Detections content = read_buffer<Detections>(gl, {buffer, 0, sizeof(Detections)}).at(0);
  const auto count = static_cast<size_t>(std::clamp(content.count, 0, kMaxDetections));
  std::vector<Detection> found(content.detections.begin(), content.detections.begin() + static_cast<long>(count));
  for (Detection& detection : found) {
    const auto valid = static_cast<size_t>(std::max(detection.points_count, detection.corners_count));
    for (size_t i = valid; i < kMaxDetectionPoints; ++i) detection.points[i] = {};
  }
  return found;
}

}  // namespace sightglass::test
