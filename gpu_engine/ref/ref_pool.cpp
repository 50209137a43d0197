// Pools and unpools. Sums in double precision.
#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/quantized.h"
#include "ref/kernels.h"

namespace sightglass::ref {

void pool2d(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<Pool2dAttr>();
  const bool average = call.node.op == OpType::kAveragePool2d;
  const Shape& in = call.shape(0);
  const size_t channels = static_cast<size_t>(in.dim(3));
  const std::span<const float> data = call.floats(0);
  float* result = out.as<float>().data();
  for (int32_t b = 0; b < out.shape.dim(0); ++b) {
    for (int32_t y = 0; y < out.shape.dim(1); ++y) {
      for (int32_t x = 0; x < out.shape.dim(2); ++x) {
        // The part of the window inside the input: padding counts neither as a value nor in the average.
        const int64_t top = int64_t{y} * attr.stride_h - attr.padding.top;
        const int64_t left = int64_t{x} * attr.stride_w - attr.padding.left;
        const int64_t last_row = std::min<int64_t>(top + attr.filter_h, in.dim(1));
        const int64_t last_column = std::min<int64_t>(left + attr.filter_w, in.dim(2));
        std::vector<double> sums(channels, average ? 0.0 : -std::numeric_limits<double>::infinity());
        int64_t count = 0;
        for (int64_t iy = std::max<int64_t>(top, 0); iy < last_row; ++iy) {
          for (int64_t ix = std::max<int64_t>(left, 0); ix < last_column; ++ix) {
            const size_t from = static_cast<size_t>((int64_t{b} * in.dim(1) + iy) * in.dim(2) + ix) * channels;
            for (size_t c = 0; c < channels; ++c) {
              const double value = data[from + c];
              sums[c] = average ? sums[c] + value : std::max(sums[c], value);
            }
            ++count;
          }
        }
        for (const double sum : sums) {
          *result++ = static_cast<float>(average ? sum / static_cast<double>(std::max<int64_t>(count, 1)) : sum);
        }
      }
    }
  }
}

// The first of equal maxima in row-major order wins.
void max_pool_with_argmax(const Call& call, std::vector<HostTensor>& out) {
  pool2d(call, out[0]);
  const auto& attr = call.attributes<Pool2dAttr>();
  const Shape &in = call.shape(0), &shape = out[1].shape;
  const std::span<const float> data = call.floats(0);
  const auto element = [&in](int64_t b, int64_t y, int64_t x, int64_t c) {
    return static_cast<size_t>(((b * in.dim(1) + y) * in.dim(2) + x) * in.dim(3) + c);
  };
  float* place = out[1].as<float>().data();
  for (int32_t b = 0; b < shape.dim(0); ++b) {
    for (int32_t y = 0; y < shape.dim(1); ++y) {
      for (int32_t x = 0; x < shape.dim(2); ++x) {
        for (int32_t c = 0; c < shape.dim(3); ++c) {
          const int64_t top = int64_t{y} * attr.stride_h - attr.padding.top;
          const int64_t left = int64_t{x} * attr.stride_w - attr.padding.left;
          const int64_t last_row = std::min<int64_t>(top + attr.filter_h, in.dim(1));
          const int64_t last_column = std::min<int64_t>(left + attr.filter_w, in.dim(2));
          float largest = std::numeric_limits<float>::lowest();
          int64_t found = 0;
          for (int64_t iy = std::max<int64_t>(top, 0); iy < last_row; ++iy) {
            for (int64_t ix = std::max<int64_t>(left, 0); ix < last_column; ++ix) {
              if (data[element(b, iy, ix, c)] <= largest) continue;
              largest = data[element(b, iy, ix, c)];
              found = (iy - top) * attr.filter_w + ix - left;
            }
          }
          *place++ = static_cast<float>(found) + 0.1f;
        }
      }
    }
  }
  activate(call, out[0]);
}

// If windows overlap, the last one in row-major order that selects a pixel fills it.
void max_unpool(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<Pool2dAttr>();
  const Shape& in = call.shape(0);
  const std::span<const float> data = call.floats(0), places = call.floats(1);
  const std::span<float> result = out.as<float>();
  std::ranges::fill(result, 0.0f);
  size_t from = 0;
  for (int32_t b = 0; b < in.dim(0); ++b) {
    for (int32_t y = 0; y < in.dim(1); ++y) {
      for (int32_t x = 0; x < in.dim(2); ++x) {
        for (int32_t c = 0; c < in.dim(3); ++c, ++from) {
          const float place = std::trunc(places[from]);
          if (!(place >= 0 && place < static_cast<float>(int64_t{attr.filter_h} * attr.filter_w))) continue;
          const auto i = static_cast<int64_t>(place);
          const int64_t oy = int64_t{y} * attr.stride_h - attr.padding.top + i / attr.filter_w;
          const int64_t ox = int64_t{x} * attr.stride_w - attr.padding.left + i % attr.filter_w;
          if (oy < 0 || oy >= out.shape.dim(1) || ox < 0 || ox >= out.shape.dim(2)) continue;
          const int64_t to = ((b * out.shape.dim(1) + oy) * out.shape.dim(2) + ox) * in.dim(3) + c;
          result[static_cast<size_t>(to)] = data[from];
        }
      }
    }
  }
}

void resize_bilinear(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<ResizeAttr>();
  const Shape& in = call.shape(0);
  const std::span<const float> data = call.floats(0);
  const std::vector<ResizeTap> rows = resize_taps(in.dim(1), out.shape.dim(1), attr);
  const std::vector<ResizeTap> columns = resize_taps(in.dim(2), out.shape.dim(2), attr);
  float* result = out.as<float>().data();
  for (int32_t b = 0; b < in.dim(0); ++b) {
    const auto at = [&](int32_t y, int32_t x, int32_t c) {
      return data[static_cast<size_t>(((int64_t{b} * in.dim(1) + y) * in.dim(2) + x) * in.dim(3) + c)];
    };
    for (const ResizeTap& row : rows) {
      for (const ResizeTap& column : columns) {
        for (int32_t c = 0; c < in.dim(3); ++c) {
          // The products of the weights first, and the rows one after the other: for uint8, the last bits count.
          *result++ = at(row.low, column.low, c) * ((1 - row.weight) * (1 - column.weight)) +
                      at(row.low, column.high, c) * ((1 - row.weight) * column.weight) +
                      at(row.high, column.low, c) * (row.weight * (1 - column.weight)) +
                      at(row.high, column.high, c) * (row.weight * column.weight);
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

template <typename T>
void resize_integers(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<ResizeAttr>();
  const Shape& in = call.shape(0);
  const std::span<const T> data = call.input(0).as<T>();
  const std::vector<IntegerTap> columns = integer_taps(in.dim(2), out.shape.dim(2), attr);
  T* result = out.as<T>().data();
  for (int32_t b = 0; b < in.dim(0); ++b) {
    const auto at = [&](int32_t y, int32_t x, int32_t c) -> int64_t {
      return data[static_cast<size_t>(((int64_t{b} * in.dim(1) + y) * in.dim(2) + x) * in.dim(3) + c)];
    };
    for (const IntegerTap& row : integer_taps(in.dim(1), out.shape.dim(1), attr)) {
      for (const IntegerTap& column : columns) {
        for (int32_t c = 0; c < in.dim(3); ++c) {
          const int64_t sum = at(row.low, column.low, c) * row.first * column.first +
                              at(row.high, column.low, c) * row.second * column.first +
                              at(row.low, column.high, c) * row.first * column.second +
                              at(row.high, column.high, c) * row.second * column.second;
          constexpr int64_t kOne = 1 << 20;
          *result++ = static_cast<T>((sum + (sum > 0 ? kOne / 2 : -kOne / 2)) / kOne);
        }
      }
    }
  }
}

}  // namespace

void resize_bilinear_integers(const Call& call, HostTensor& out) {
  return out.type == DataType::kInt16 ? resize_integers<int16_t>(call, out) : resize_integers<int8_t>(call, out);
}

}  // namespace sightglass::ref
