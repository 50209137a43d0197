// Reductions and the softmax. Sums in double precision.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "ref/kernels.h"

namespace sightglass::ref {

namespace {

// Integers wrap around.
int64_t add(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }
int64_t multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
double add(double a, double b) { return a + b; }
double multiply(double a, double b) { return a * b; }
// No templates: GCC does not take their addresses for constants when it compiles for UndefinedBehaviorSanitizer.
int64_t larger(int64_t a, int64_t b) { return std::max(a, b); }
double larger(double a, double b) { return std::max(a, b); }
int64_t smaller(int64_t a, int64_t b) { return std::min(a, b); }
double smaller(double a, double b) { return std::min(a, b); }

// Combines two elements; null if the operator does not take the type.
struct Combination {
  OpType op;
  double (*real)(double a, double b);
  int64_t (*integer)(int64_t a, int64_t b);
};
constexpr auto kCombinations = std::to_array<Combination>({
    {OpType::kMean, add, add},
    {OpType::kSum, add, add},
    {OpType::kReduceMax, larger, larger},
    {OpType::kReduceMin, smaller, smaller},
    {OpType::kReduceProd, multiply, multiply},
    {OpType::kReduceAny, nullptr, larger},
    {OpType::kReduceAll, nullptr, smaller},
});
static_assert(operators::lists_exactly(kCombinations, operators::kReduces) && functions_match_types(kCombinations));

template <typename T, typename Wide>
void reduce_elements(const Call& call, HostTensor& out) {
  const std::vector<int64_t> to = reduced_places(call.shape(0), call.attributes<ReduceAttr>().axes);
  const std::span<const T> data = call.input(0).as<T>();
  std::vector<std::optional<Wide>> results(out.as<T>().size());
  const Combination& combination = operators::find_row(kCombinations, call.node.op);
  const auto combine = [&combination](Wide a, Wide b) {
    if constexpr (std::is_integral_v<Wide>)
      return combination.integer(a, b);
    else
      return combination.real(a, b);
  };
  const std::span<const T> addend = call.has(kMeanAddend) ? call.input(kMeanAddend).as<T>() : std::span<const T>();
  for (size_t i = 0; i < data.size(); ++i) {
    std::optional<Wide>& result = results[static_cast<size_t>(to[i])];
    Wide element{data[i]};
    if constexpr (std::is_floating_point_v<T>) element = addend.empty() ? data[i] : data[i] + addend[i];
    result = result ? combine(*result, element) : element;
  }
  const auto count = static_cast<Wide>(call.node.op == OpType::kMean ? data.size() / results.size() : 1);
  std::ranges::transform(results, out.as<T>().begin(), [count](const auto& sum) {
    if constexpr (std::is_integral_v<Wide>)
      return static_cast<T>(static_cast<T>(*sum) / count);
    else
      return static_cast<T>(*sum / count);
  });
}

template <typename T>
void find_extreme(const Call& call, HostTensor& out) {
  const Shape& in = call.shape(0);
  const int32_t axis = call.attributes<ArgAttr>().axis;
  const bool smallest = call.node.op == OpType::kArgMin;
  const std::span<const T> data = call.input(0).as<T>();
  size_t inner = 1;
  for (int d = axis + 1; d < in.rank(); ++d) inner *= static_cast<size_t>(in.dim(d));
  const auto count = static_cast<size_t>(in.dim(axis));
  const auto results = static_cast<size_t>(out.shape.elements());
  for (size_t i = 0; i < results; ++i) {
    const size_t first = i / inner * count * inner + i % inner;
    size_t best = 0;
    for (size_t k = 1; k < count; ++k) {
      const T v = data[first + k * inner], known = data[first + best * inner];
      if (smallest ? v < known : v > known) best = k;
    }
    if (out.type == DataType::kInt64) out.as<int64_t>()[i] = static_cast<int64_t>(best);
    if (out.type == DataType::kInt32) out.as<int32_t>()[i] = static_cast<int32_t>(best);
  }
}

}  // namespace

std::vector<int64_t> reduced_places(const Shape& shape, const std::vector<int32_t>& axes) {
  Shape kept = shape;
  for (const int32_t axis : axes) kept.set_dim(axis, 1);
  Strides strides = dense_strides(kept);
  for (const int32_t axis : axes) strides[static_cast<size_t>(axis)] = 0;
  return offsets(shape, strides);
}

void reduce(const Call& call, HostTensor& out) {
  switch (call.input(0).type) {
    case DataType::kInt32:
      return reduce_elements<int32_t, int64_t>(call, out);
    case DataType::kInt64:
      return reduce_elements<int64_t, int64_t>(call, out);
    case DataType::kBool:
      return reduce_elements<uint8_t, int64_t>(call, out);
    default:
      return reduce_elements<float, double>(call, out);
  }
}

void arg_extreme(const Call& call, HostTensor& out) {
  switch (call.input(0).type) {
    case DataType::kInt32:
      return find_extreme<int32_t>(call, out);
    case DataType::kBool:
      return find_extreme<uint8_t>(call, out);
    default:
      return find_extreme<float>(call, out);
  }
}

void l2_normalization(const Call& call, HostTensor& out) {
  const auto depth = static_cast<size_t>(out.shape.dim(out.shape.rank() - 1));
  const std::span<const float> data = call.floats(0);
  for (size_t first = 0; first < data.size(); first += depth) {
    double squares = 0;
    for (size_t i = 0; i < depth; ++i) squares += double{data[first + i]} * data[first + i];
    const double norm = std::max(std::sqrt(squares), 1e-6);
    for (size_t i = 0; i < depth; ++i) out.as<float>()[first + i] = static_cast<float>(data[first + i] / norm);
  }
}

void softmax(const Call& call, HostTensor& out) {
  const bool logarithms = call.node.op == OpType::kLogSoftmax;
  const double beta = logarithms ? 1 : call.attributes<SoftmaxAttr>().beta;
  const size_t depth = static_cast<size_t>(out.shape.dim(out.shape.rank() - 1));
  const std::span<const float> data = call.floats(0);
  const std::span<float> result = out.as<float>();
  std::vector<double> exponentials(depth);
  for (size_t first = 0; first < data.size(); first += depth) {
    const std::span<const float> row = data.subspan(first, depth);
    const double largest = *std::ranges::max_element(row);
    double sum = 0;
    for (size_t i = 0; i < depth; ++i) sum += exponentials[i] = std::exp((row[i] - largest) * beta);
    for (size_t i = 0; i < depth; ++i) {
      result[first + i] = static_cast<float>(logarithms ? row[i] - largest - std::log(sum) : exponentials[i] / sum);
    }
  }
}

// TOPK_V2: the largest elements of every row.

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
