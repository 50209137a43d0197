// Crops around landmarks, and matrices applied to landmarks and images.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ref/kernels.h"

namespace sightglass::ref {
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
