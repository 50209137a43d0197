#include <algorithm>
#include <cmath>

#include "graph/quantized.h"
#include "ref/kernels.h"

namespace sightglass::ref {
namespace {

// The two input rows (or columns) around an output row, and the weight of the second.
struct Tap {
  int32_t low, high;
  float weight;
};

// Coordinates are computed in float32, as in TensorFlow Lite: rounding affects the choice of rows.
std::vector<Tap> taps(int32_t in, int32_t out, const ResizeAttr& attr) {
  const float scale = attr.scale(in, out);
  std::vector<Tap> result;
  for (int32_t i = 0; i < out; ++i) {
    const auto position = static_cast<float>(i);
    const float coordinate = attr.half_pixel_centers ? (position + 0.5f) * scale - 0.5f : position * scale;
    const int32_t low = std::max(static_cast<int32_t>(std::floor(coordinate)), 0);
    const int32_t high = std::min(static_cast<int32_t>(std::ceil(coordinate)), in - 1);
    result.push_back({low, high, coordinate - static_cast<float>(low)});
  }
  return result;
}

}  // namespace

void resize_bilinear(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<ResizeAttr>();
  const Shape& in = call.shape(0);
  const std::span<const float> data = call.floats(0);
  const std::vector<Tap> rows = taps(in.dim(1), out.shape.dim(1), attr);
  const std::vector<Tap> columns = taps(in.dim(2), out.shape.dim(2), attr);
  float* result = out.as<float>().data();
  for (int32_t b = 0; b < in.dim(0); ++b) {
    const auto at = [&](int32_t y, int32_t x, int32_t c) {
      return data[static_cast<size_t>(((int64_t{b} * in.dim(1) + y) * in.dim(2) + x) * in.dim(3) + c)];
    };
    for (const Tap& row : rows) {
      for (const Tap& column : columns) {
        for (int32_t c = 0; c < in.dim(3); ++c) {
          *result++ = at(row.low, column.low, c) * (1 - row.weight) * (1 - column.weight) +
                      at(row.high, column.low, c) * row.weight * (1 - column.weight) +
                      at(row.low, column.high, c) * (1 - row.weight) * column.weight +
                      at(row.high, column.high, c) * row.weight * column.weight;
        }
      }
    }
  }
}

namespace {

// The same in 1/1024 of a pixel.
struct IntegerTap {
  int32_t low, high, first, second;
};

std::vector<IntegerTap> integer_taps(int32_t in, int32_t out, const ResizeAttr& attr) {
  const ResizeMapping mapping = resize_mapping(in, out, attr);
  std::vector<IntegerTap> result;
  for (int32_t i = 0; i < out; ++i) {
    const int32_t coordinate = i * mapping.scale + mapping.offset;
    const int32_t low = std::max(coordinate, 0) / 1024;
    const int32_t high = std::min((coordinate + 1023) / 1024, in - 1);
    const int32_t second = coordinate - low * 1024;
    result.push_back({low, high, 1024 - second, second});
  }
  return result;
}

}  // namespace

void resize_bilinear_int8(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<ResizeAttr>();
  const Shape& in = call.shape(0);
  const std::span<const int8_t> data = call.input(0).as<int8_t>();
  const std::vector<IntegerTap> columns = integer_taps(in.dim(2), out.shape.dim(2), attr);
  int8_t* result = out.as<int8_t>().data();
  for (int32_t b = 0; b < in.dim(0); ++b) {
    const auto at = [&](int32_t y, int32_t x, int32_t c) -> int32_t {
      return data[static_cast<size_t>(((int64_t{b} * in.dim(1) + y) * in.dim(2) + x) * in.dim(3) + c)];
    };
    for (const IntegerTap& row : integer_taps(in.dim(1), out.shape.dim(1), attr)) {
      for (const IntegerTap& column : columns) {
        for (int32_t c = 0; c < in.dim(3); ++c) {
          const int32_t sum = at(row.low, column.low, c) * row.first * column.first +
                              at(row.high, column.low, c) * row.second * column.first +
                              at(row.low, column.high, c) * row.first * column.second +
                              at(row.high, column.high, c) * row.second * column.second;
          constexpr int32_t kOne = 1 << 20;
          *result++ = static_cast<int8_t>((sum + (sum > 0 ? kOne / 2 : -kOne / 2)) / kOne);
        }
      }
    }
  }
}

}  // namespace sightglass::ref
