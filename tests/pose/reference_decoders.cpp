#include "reference_decoders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "harness/golden.h"

namespace sightglass::test {

namespace {

constexpr int kPoints = 17;
constexpr std::pair<int, int> kTree[] = {{0, 1},   {1, 3},   {0, 2}, {2, 4}, {0, 5},  {5, 7},  {7, 9},   {5, 11},
                                         {11, 13}, {13, 15}, {0, 6}, {6, 8}, {8, 10}, {6, 12}, {12, 14}, {14, 16}};

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

struct Decoder {
  const Grid& scores;
  const Grid& offsets;
  float stride;

  ReferencePoint point(int row, int column, int k) const {
    return {static_cast<float>(column) * stride + offsets.at(row, column, k + kPoints),
            static_cast<float>(row) * stride + offsets.at(row, column, k), sigmoid(scores.at(row, column, k))};
  }
  std::pair<int, int> cell(float x, float y) const {
    const auto nearest = [&](float v, int count) {
      return std::clamp(static_cast<int>(std::floor(v / stride + 0.5F)), 0, count - 1);
    };
    return {nearest(y, scores.rows), nearest(x, scores.columns)};
  }
  ReferencePoint follow(const ReferencePoint& from, int edge, int k, const Grid& displacements) const {
    const auto [row, column] = cell(from.x, from.y);
    const int edges = static_cast<int>(std::size(kTree));
    ReferencePoint to{from.x + displacements.at(row, column, edges + edge),
                      from.y + displacements.at(row, column, edge), 0};
    for (int i = 0; i < 2; ++i) {
      const auto [r, c] = cell(to.x, to.y);
      to = point(r, c, k);
    }
    const auto [r, c] = cell(to.x, to.y);
    to.score = sigmoid(scores.at(r, c, k));
    return to;
  }
};

bool is_highest(const Grid& scores, int row, int column, int k) {
  for (int r = std::max(row - 1, 0); r <= std::min(row + 1, scores.rows - 1); ++r) {
    for (int c = std::max(column - 1, 0); c <= std::min(column + 1, scores.columns - 1); ++c) {
      if (scores.at(r, c, k) > scores.at(row, column, k)) return false;
    }
  }
  return true;
}

bool is_taken(const std::vector<ReferencePerson>& persons, const ReferencePoint& point, size_t k) {
  return std::ranges::any_of(persons, [&](const ReferencePerson& person) {
    return std::hypot(person.points[k].x - point.x, person.points[k].y - point.y) <= 20;
  });
}

}  // namespace

std::vector<float> real_numbers(const HostTensor& tensor, const Quantization& quantization) {
  const auto count = static_cast<size_t>(tensor.shape.elements());
  std::vector<float> numbers(count);
  const float scale = quantization.empty() ? 1 : quantization.scale[0];
  const float zero = quantization.zero_point.empty() ? 0 : static_cast<float>(quantization.zero_point[0]);
  for (size_t i = 0; i < count; ++i) {
    switch (tensor.type) {
      case DataType::kUInt8:
        numbers[i] = scale * (static_cast<float>(tensor.as<uint8_t>()[i]) - zero);
        break;
      case DataType::kInt8:
        numbers[i] = scale * (static_cast<float>(tensor.as<int8_t>()[i]) - zero);
        break;
      default:
        numbers[i] = tensor.as<float>()[i];
    }
  }
  return numbers;
}

Grid grid_of(const HostTensor& tensor, const Quantization& quantization) {
  return {tensor.shape.dim(1), tensor.shape.dim(2), tensor.shape.dim(3), real_numbers(tensor, quantization)};
}

Golden golden_of(const std::string& model) {
  for (const GoldenCase& golden : golden_cases_of("pose/" + model)) {
    if (golden.name != "picture") continue;
    const auto data = describe_case(golden);
    const auto tensors = load_outputs(golden);
    EXPECT_TRUE(data.ok() && tensors.ok());
    if (!data.ok() || !tensors.ok()) return {};
    Golden result{(golden.directory / data->inputs[0].source).string(), {}, {}};
    for (size_t i = 0; i < tensors->size(); ++i) {
      const Quantization& quantization = data->outputs[i].quantization;
      result.outputs.push_back(real_numbers((*tensors)[i], quantization));
      result.grids.push_back((*tensors)[i].shape.rank() == 4 ? grid_of((*tensors)[i], quantization) : Grid{});
    }
    return result;
  }
  ADD_FAILURE() << "no picture case of " << model;
  return {};
}

ReferencePerson best_of_cells(const Grid& scores, const Grid& offsets, float stride) {
  const Decoder decoder{scores, offsets, stride};
  ReferencePerson person;
  for (int k = 0; k < scores.channels; ++k) {
    int best = 0;
    const auto score = [&](int cell) { return scores.numbers[static_cast<size_t>(cell * scores.channels + k)]; };
    for (int cell = 1; cell < scores.rows * scores.columns; ++cell) {
      if (score(cell) > score(best)) best = cell;
    }
    person.points.push_back(decoder.point(best / scores.columns, best % scores.columns, k));
    person.score += person.points.back().score / static_cast<float>(scores.channels);
  }
  return person;
}

ReferencePerson best_of_heatmaps(const Grid& scores, int width, int height) {
  const auto peak = [](float before, float here, float after) {
    const float bend = 2 * here - before - after;
    return bend > 1e-6F ? std::clamp(0.5F * (after - before) / bend, -0.5F, 0.5F) : 0.0F;
  };
  ReferencePerson person;
  for (int k = 0; k < scores.channels; ++k) {
    int row = 0, column = 0;
    for (int y = 0; y < scores.rows; ++y) {
      for (int x = 0; x < scores.columns; ++x) {
        if (scores.at(y, x, k) > scores.at(row, column, k)) row = y, column = x;
      }
    }
    const float best = scores.at(row, column, k);
    float x = static_cast<float>(column) + 0.5F, y = static_cast<float>(row) + 0.5F;
    if (column > 0 && column < scores.columns - 1) {
      x += peak(scores.at(row, column - 1, k), best, scores.at(row, column + 1, k));
    }
    if (row > 0 && row < scores.rows - 1) y += peak(scores.at(row - 1, column, k), best, scores.at(row + 1, column, k));
    x *= static_cast<float>(width) / static_cast<float>(scores.columns);
    y *= static_cast<float>(height) / static_cast<float>(scores.rows);
    person.points.push_back({x - 0.5F, y - 0.5F, best});
    person.score += best / static_cast<float>(scores.channels);
  }
  return person;
}

ReferencePerson best_of_simcc(const std::vector<float>& columns, const std::vector<float>& rows, size_t points,
                              int width, int height) {
  const auto best_of = [&](const std::vector<float>& scores, size_t point) {
    const auto count = static_cast<std::ptrdiff_t>(scores.size() / points);
    const auto first = scores.begin() + static_cast<std::ptrdiff_t>(point) * count;
    const auto best = std::max_element(first, first + count);
    return std::pair(static_cast<float>(best - first) / static_cast<float>(count), *best);
  };
  ReferencePerson person;
  for (size_t k = 0; k < points; ++k) {
    const auto [x, by_column] = best_of(columns, k);
    const auto [y, by_row] = best_of(rows, k);
    const float score = std::clamp(std::min(by_column, by_row), 0.0F, 1.0F);
    person.points.push_back({x * static_cast<float>(width), y * static_cast<float>(height), score});
    person.score += score / static_cast<float>(points);
  }
  return person;
}

std::vector<ReferencePerson> grow_persons(const Grid& scores, const Grid& offsets, const Grid& forward,
                                          const Grid& backward, float stride, size_t persons) {
  struct Root {
    float score;
    int row, column, k;
  };
  std::vector<Root> roots;
  for (int row = 0; row < scores.rows; ++row) {
    for (int column = 0; column < scores.columns; ++column) {
      for (int k = 0; k < kPoints; ++k) {
        const float score = sigmoid(scores.at(row, column, k));
        if (score >= 0.5F && is_highest(scores, row, column, k)) roots.push_back({score, row, column, k});
      }
    }
  }
  std::ranges::stable_sort(roots, std::greater(), &Root::score);

  const Decoder decoder{scores, offsets, stride};
  std::vector<ReferencePerson> found;
  for (const Root& root : roots) {
    if (found.size() == persons) break;
    const ReferencePoint start = decoder.point(root.row, root.column, root.k);
    if (is_taken(found, start, static_cast<size_t>(root.k))) continue;
    ReferencePerson person;
    person.points.resize(kPoints);
    std::array<bool, kPoints> known{};
    const auto set = [&](int k, const ReferencePoint& point) {
      person.points[static_cast<size_t>(k)] = point;
      known[static_cast<size_t>(k)] = true;
    };
    const auto step = [&](int source, int target, int edge, const Grid& displacements) {
      if (!known[static_cast<size_t>(source)] || known[static_cast<size_t>(target)]) return;
      set(target, decoder.follow(person.points[static_cast<size_t>(source)], edge, target, displacements));
    };
    set(root.k, start);
    const int edges = static_cast<int>(std::size(kTree));
    for (int edge = edges - 1; edge >= 0; --edge) step(kTree[edge].second, kTree[edge].first, edge, backward);
    for (int edge = 0; edge < edges; ++edge) step(kTree[edge].first, kTree[edge].second, edge, forward);
    for (size_t k = 0; k < kPoints; ++k) {
      if (!is_taken(found, person.points[k], k)) person.score += person.points[k].score / kPoints;
    }
    found.push_back(std::move(person));
  }
  return found;
}

}  // namespace sightglass::test
