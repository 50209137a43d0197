#include "sightglass/tensor.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace sightglass {

size_t size_of(DataType type) {
  switch (type) {
    case DataType::kFloat32:
      return 4;
    case DataType::kFloat16:
      return 2;
    case DataType::kInt8:
      return 1;
    case DataType::kUInt8:
      return 1;
    case DataType::kInt16:
      return 2;
    case DataType::kInt32:
      return 4;
    case DataType::kInt64:
      return 8;
    case DataType::kBool:
      return 1;
  }
  return 0;
}

const char* to_string(DataType type) {
  switch (type) {
    case DataType::kFloat32:
      return "float32";
    case DataType::kFloat16:
      return "float16";
    case DataType::kInt8:
      return "int8";
    case DataType::kUInt8:
      return "uint8";
    case DataType::kInt16:
      return "int16";
    case DataType::kInt32:
      return "int32";
    case DataType::kInt64:
      return "int64";
    case DataType::kBool:
      return "bool";
  }
  return "unknown";
}

Shape::Shape(std::initializer_list<int32_t> dims) : Shape(std::span<const int32_t>(dims.begin(), dims.size())) {}

Shape::Shape(std::span<const int32_t> dims) : rank_(static_cast<int>(dims.size())) {
  assert(dims.size() <= kMaxRank);
  std::ranges::copy(dims, dims_.begin());
}

int64_t Shape::elements() const {
  int64_t product = 1;
  for (const int32_t d : dims()) product *= d;
  return product;
}

std::string Shape::to_string() const {
  if (rank_ == 0) return "scalar";
  std::string text;
  for (const int32_t d : dims()) text += (text.empty() ? "" : "x") + std::to_string(d);
  return text;
}

Bhwc Bhwc::from(const Shape& shape) {
  assert(shape.rank() <= 5);
  Bhwc r;
  const int rank = shape.rank();
  if (rank >= 1) r.c = shape.dim(rank - 1);
  if (rank >= 2) r.w = shape.dim(rank - 2);
  if (rank >= 3) r.h = shape.dim(rank - 3);
  if (rank >= 4) r.b = shape.dim(rank - 4);
  if (rank >= 5) r.b *= shape.dim(rank - 5);
  return r;
}

HostTensor::HostTensor(DataType t, const Shape& s)
    : type(t), shape(s), data(static_cast<size_t>(s.elements()) * size_of(t)) {}

HostTensor HostTensor::from_floats(const Shape& s, std::span<const float> values) {
  HostTensor tensor(DataType::kFloat32, s);
  assert(values.size_bytes() == tensor.data.size());
  if (!values.empty()) std::memcpy(tensor.data.data(), values.data(), values.size_bytes());
  return tensor;
}

float half_to_float(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t exponent = (h >> 10) & 0x1fu;
  const uint32_t mantissa = h & 0x3ffu;
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const uint32_t wide = exponent == 31 ? 255u : exponent + 112u;
  return std::bit_cast<float>(sign | (wide << 23) | (mantissa << 13));
}

uint16_t float_to_half(float f) {
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return sign | 0x7e00u;   // NaN
  if (magnitude >= 0x477ff000u) return sign | 0x7c00u;  // rounds to infinity
  if (magnitude < 0x38800000u) {                        // subnormal or zero: in steps of 2^-24
    const float steps = std::bit_cast<float>(magnitude) * 0x1p24f;
    const auto whole = static_cast<uint32_t>(steps);
    const float rest = steps - static_cast<float>(whole);
    const bool up = rest > 0.5f || (rest == 0.5f && (whole & 1u) != 0);
    return static_cast<uint16_t>(sign | (whole + (up ? 1u : 0u)));
  }
  const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

}  // namespace sightglass
