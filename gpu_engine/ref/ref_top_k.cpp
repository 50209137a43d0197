// TOPK_V2: the largest elements of every row.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ref/kernels.h"

namespace sightglass::ref {
namespace {

// NaN comes last.
template <typename T>
bool precedes(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(b)) return !std::isnan(a);
  }
  return a > b;
}

template <typename T>
void pick(const Call& call, std::vector<HostTensor>& out) {
  const auto k = static_cast<size_t>(call.attributes<TopKAttr>().k);
  const auto count = static_cast<size_t>(call.shape(0).dim(call.shape(0).rank() - 1));
  const std::span<const T> data = call.input(0).as<T>();
  std::vector<int32_t> places(count);
  size_t to = 0;
  for (size_t first = 0; first < data.size(); first += count) {
    const std::span<const T> row = data.subspan(first, count);
    std::iota(places.begin(), places.end(), 0);
    std::ranges::partial_sort(places, places.begin() + static_cast<ptrdiff_t>(k), [row](int32_t a, int32_t b) {
      const T x = row[static_cast<size_t>(a)], y = row[static_cast<size_t>(b)];
      return precedes(x, y) || (!precedes(y, x) && a < b);
    });
    for (size_t i = 0; i < k; ++i, ++to) {
      out[0].as<T>()[to] = row[static_cast<size_t>(places[i])];
      out[1].as<int32_t>()[to] = places[i];
    }
  }
}

}  // namespace

void top_k(const Call& call, std::vector<HostTensor>& out) {
  switch (call.input(0).type) {
    case DataType::kInt8:
      return pick<int8_t>(call, out);
    case DataType::kUInt8:
      return pick<uint8_t>(call, out);
    case DataType::kInt16:
      return pick<int16_t>(call, out);
    case DataType::kInt32:
      return pick<int32_t>(call, out);
    case DataType::kInt64:
      return pick<int64_t>(call, out);
    default:
      return pick<float>(call, out);
  }
}

}  // namespace sightglass::ref
