// Pools, means and the softmax. Sums in double precision.
#include <algorithm>
#include <cmath>
#include <limits>

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
        // The part of the window that lies inside: padding counts neither as a value nor in the average.
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

void mean(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<ReduceAttr>();
  const Shape& in = call.shape(0);
  // Where each input element adds to: reduced axes do not move the place in the output.
  Shape kept = in;
  for (const int32_t axis : attr.axes) kept.set_dim(axis, 1);
  Strides strides = dense_strides(kept);
  for (const int32_t axis : attr.axes) strides[static_cast<size_t>(axis)] = 0;
  const std::vector<int64_t> to = offsets(in, strides);
  const std::span<const float> data = call.floats(0);
  const std::span<float> result = out.as<float>();
  std::vector<double> sums(result.size(), 0.0);
  for (size_t i = 0; i < data.size(); ++i) sums[static_cast<size_t>(to[i])] += data[i];
  const auto count = static_cast<double>(data.size() / result.size());
  std::ranges::transform(sums, result.begin(), [count](double sum) { return static_cast<float>(sum / count); });
}

void softmax(const Call& call, HostTensor& out) {
  const double beta = call.attributes<SoftmaxAttr>().beta;
  const size_t depth = static_cast<size_t>(out.shape.dim(out.shape.rank() - 1));
  const std::span<const float> data = call.floats(0);
  const std::span<float> result = out.as<float>();
  std::vector<double> exponentials(depth);
  for (size_t first = 0; first < data.size(); first += depth) {
    const std::span<const float> row = data.subspan(first, depth);
    const double largest = *std::ranges::max_element(row);
    double sum = 0;
    for (size_t i = 0; i < depth; ++i) sum += exponentials[i] = std::exp((row[i] - largest) * beta);
    for (size_t i = 0; i < depth; ++i) result[first + i] = static_cast<float>(exponentials[i] / sum);
  }
}

}  // namespace sightglass::ref
