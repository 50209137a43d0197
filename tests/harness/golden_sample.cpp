#include "harness/golden_sample.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "harness/compare.h"
#include "model/picture_input.h"

namespace sightglass::test {

namespace {
// The class scores of a position stay together. Longer dimensions are positions themselves.
constexpr int32_t kLongestRow = 512;
}  // namespace

Rows rows_of(const Shape& shape) {
  const int64_t elements = shape.elements();
  const int32_t last = shape.rank() == 0 ? 1 : shape.dim(shape.rank() - 1);
  const int64_t length = last > 0 && last <= kLongestRow ? last : 1;
  return {elements / length, length};
}

bool is_sampled_whole(const Shape& shape) { return shape.elements() <= kSampleNumbers; }

std::vector<int64_t> sampled_rows(const Shape& shape, std::span<const int64_t> extremes) {
  const Rows all = rows_of(shape);
  int64_t wanted = kSampleNumbers / all.length - static_cast<int64_t>(extremes.size());
  std::vector<int64_t> rows(extremes.begin(), extremes.end());
  RandomStream stream(1);
  for (int64_t row = 0; row < all.count && wanted > 0; ++row) {
    if (static_cast<int64_t>(stream.next() % static_cast<uint64_t>(all.count - row)) >= wanted) continue;
    rows.push_back(row);
    --wanted;
  }
  std::ranges::sort(rows);
  // Clang 14 cannot compile std::ranges::unique of the GCC 12 library.
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

std::vector<int64_t> rows_of_extremes(const HostTensor& whole) {
  const std::vector<double> values = numbers_of(whole);
  size_t smallest = 0, largest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    if (!(values[i] >= values[smallest])) smallest = i;
    if (!(values[i] <= values[largest])) largest = i;
  }
  const int64_t length = rows_of(whole.shape).length;
  return {static_cast<int64_t>(smallest) / length, static_cast<int64_t>(largest) / length};
}

HostTensor take_rows(const HostTensor& whole, std::span<const int64_t> rows) {
  const int64_t length = rows_of(whole.shape).length;
  HostTensor part(whole.type, Shape{static_cast<int32_t>(rows.size()), static_cast<int32_t>(length)});
  const size_t bytes = static_cast<size_t>(length) * size_of(whole.type);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(part.data.data() + i * bytes, whole.data.data() + static_cast<size_t>(rows[i]) * bytes, bytes);
  }
  return part;
}

}  // namespace sightglass::test
