#include "harness/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace sightglass::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename T>
std::vector<double> widen(const HostTensor& tensor) {
  const auto values = tensor.as<T>();
  return {values.begin(), values.end()};
}

// 0 if both are the same value, including NaNs and infinities.
double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double d = std::abs(a - b);
  return std::isfinite(d) ? d : kInfinity;
}

double ratio(double numerator, double denominator) {
  if (numerator == 0) return 0;
  return denominator == 0 ? kInfinity : numerator / denominator;
}

// Counts the intersection and the union of two membership tests over `count` positions.
template <typename InReference, typename InGot>
double iou(size_t count, InReference in_reference, InGot in_got) {
  size_t both = 0, either = 0;
  for (size_t i = 0; i < count; ++i) {
    const bool a = in_reference(i), b = in_got(i);
    both += a && b;
    either += a || b;
  }
  return either == 0 ? 1.0 : static_cast<double>(both) / static_cast<double>(either);
}

}  // namespace

std::vector<double> numbers_of(const HostTensor& tensor) {
  switch (tensor.type) {
    case DataType::kFloat32:
      return widen<float>(tensor);
    case DataType::kFloat16: {
      std::vector<double> out;
      for (const uint16_t half : tensor.as<uint16_t>()) out.push_back(half_to_float(half));
      return out;
    }
    case DataType::kInt8:
      return widen<int8_t>(tensor);
    case DataType::kUInt8:
    case DataType::kBool:
      return widen<uint8_t>(tensor);
    case DataType::kInt16:
      return widen<int16_t>(tensor);
    case DataType::kInt32:
      return widen<int32_t>(tensor);
    case DataType::kInt64:
      return widen<int64_t>(tensor);
  }
  return {};
}

Comparison compare(const HostTensor& reference, const HostTensor& got) {
  Comparison result;
  if (reference.type != got.type || reference.shape != got.shape || reference.data.size() != got.data.size()) {
    result.max_abs = result.relative_max = result.nmse = result.relative_l2 = kInfinity;
    result.psnr_db = -kInfinity;
    return result;
  }
  result.identical = reference.data == got.data;
  const std::vector<double> a = numbers_of(reference), b = numbers_of(got);
  double error_squares = 0, reference_squares = 0, low = kInfinity, high = -kInfinity;
  for (size_t i = 0; i < a.size(); ++i) {
    const double d = distance(a[i], b[i]);
    if (d > result.max_abs) {
      result.max_abs = d;
      result.worst = i;
    }
    error_squares += d * d;
    if (std::isfinite(a[i])) {
      reference_squares += a[i] * a[i];
      low = std::min(low, a[i]);
      high = std::max(high, a[i]);
    }
  }
  if (low <= high) result.range = low == high ? std::abs(low) : high - low;
  result.relative_max = ratio(result.max_abs, result.range);
  result.nmse = ratio(error_squares, reference_squares);
  result.relative_l2 = std::sqrt(result.nmse);
  const double mean_square = a.empty() ? 0 : error_squares / static_cast<double>(a.size());
  result.psnr_db = mean_square == 0 ? kInfinity : 10 * std::log10(result.range * result.range / mean_square);
  return result;
}

std::string to_string(const Comparison& comparison) {
  char text[192];
  std::snprintf(text, sizeof(text), "max abs %.3g (of range %.3g: %.2g) at %zu, NMSE %.2g, PSNR %.1f dB",
                comparison.max_abs, comparison.range, comparison.relative_max, comparison.worst, comparison.nmse,
                comparison.psnr_db);
  return text;
}

double mask_iou(const HostTensor& reference, const HostTensor& got, float threshold) {
  if (reference.data.size() != got.data.size()) return 0;
  const auto a = reference.as<float>(), b = got.as<float>();
  return iou(
      a.size(), [&](size_t i) { return a[i] > threshold; }, [&](size_t i) { return b[i] > threshold; });
}

double class_iou(const HostTensor& reference, const HostTensor& got, int32_t label) {
  if (reference.data.size() != got.data.size() || reference.shape.rank() == 0) return 0;
  const auto classes = static_cast<size_t>(reference.shape.dim(reference.shape.rank() - 1));
  const auto wins = [&](std::span<const float> values, size_t pixel) {
    const auto scores = values.subspan(pixel * classes, classes);
    return std::max_element(scores.begin(), scores.end()) - scores.begin() == label;
  };
  const auto a = reference.as<float>(), b = got.as<float>();
  return iou(
      a.size() / classes, [&](size_t i) { return wins(a, i); }, [&](size_t i) { return wins(b, i); });
}

}  // namespace sightglass::test
