#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernel/tensors.h"

namespace sightglass {

namespace {

bool is_real(DataType type, const Quantization& quantization) {
  if (type == DataType::kFloat32 || type == DataType::kFloat16) return true;
  const bool narrow = type == DataType::kInt8 || type == DataType::kUInt8 || type == DataType::kInt16;
  return narrow && !quantization.empty();
}

int64_t zero_point(const Quantization& quantization) {
  return quantization.zero_point.empty() ? 0 : quantization.zero_point[0];
}

template <typename T>
T load(const std::byte* bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void put(std::byte* bytes, size_t index, T value) {
  std::memcpy(bytes + index * sizeof(T), &value, sizeof(T));
}

// One element of a tightly packed tensor. A double represents every int32 and float32 exactly.
double load_dense(DataType type, const std::byte* bytes, size_t i) {
  switch (type) {
    case DataType::kFloat32:
      return load<float>(bytes, i);
    case DataType::kFloat16:
      return half_to_float(load<uint16_t>(bytes, i));
    case DataType::kInt8:
      return load<int8_t>(bytes, i);
    case DataType::kUInt8:
      return load<uint8_t>(bytes, i);
    case DataType::kInt16:
      return load<int16_t>(bytes, i);
    case DataType::kInt32:
      return load<int32_t>(bytes, i);
    case DataType::kInt64:
      return static_cast<double>(load<int64_t>(bytes, i));
    case DataType::kBool:
      return load<uint8_t>(bytes, i) != 0 ? 1 : 0;
  }
  return 0;
}

void put_dense(DataType type, std::byte* bytes, size_t i, double v) {
  switch (type) {
    case DataType::kFloat32:
      return put(bytes, i, static_cast<float>(v));
    case DataType::kFloat16:
      return put(bytes, i, float_to_half(static_cast<float>(v)));
    case DataType::kInt8:
      return put(bytes, i, static_cast<int8_t>(v));
    case DataType::kUInt8:
      return put(bytes, i, static_cast<uint8_t>(v));
    case DataType::kInt16:
      return put(bytes, i, static_cast<int16_t>(v));
    case DataType::kInt32:
      return put(bytes, i, static_cast<int32_t>(v));
    case DataType::kInt64:
      return put(bytes, i, static_cast<int64_t>(v));
    case DataType::kBool:
      return put(bytes, i, static_cast<uint8_t>(v != 0));
  }
}

double load_stored(Storage storage, const std::byte* bytes, size_t i) {
  switch (storage) {
    case Storage::kFloat32:
      return load<float>(bytes, i);
    case Storage::kFloat16:
      return half_to_float(load<uint16_t>(bytes, i));
    case Storage::kInt8:
      return load<int8_t>(bytes, i);
    case Storage::kInt32:
      return load<int32_t>(bytes, i);
  }
  return 0;
}

void put_stored(Storage storage, std::byte* bytes, size_t i, double v) {
  constexpr double kLow = std::numeric_limits<int32_t>::min(), kHigh = std::numeric_limits<int32_t>::max();
  switch (storage) {
    case Storage::kFloat32:
      return put(bytes, i, static_cast<float>(v));
    case Storage::kFloat16:
      return put(bytes, i, float_to_half(static_cast<float>(v)));
    case Storage::kInt8:
      return put(bytes, i, static_cast<int8_t>(v));
    case Storage::kInt32:
      return put(bytes, i, static_cast<int32_t>(std::clamp(v, kLow, kHigh)));
  }
}

// Calls f(dense index, stored index) for every element.
template <typename F>
void for_each_element(const Bhwc& shape, F f) {
  const int64_t area = int64_t{shape.h} * shape.w;
  int64_t dense = 0;
  for (int32_t b = 0; b < shape.b; ++b) {
    for (int64_t pixel = 0; pixel < area; ++pixel) {
      for (int32_t c = 0; c < shape.c; ++c, ++dense) {
        const int64_t element = (int64_t{b} * shape.slices() + c / 4) * area + pixel;
        f(static_cast<size_t>(dense), static_cast<size_t>(element * 4 + c % 4));
      }
    }
  }
}

}  // namespace

Storage storage_of(DataType type, const Quantization& quantization, Storage real) {
  if (!is_real(type, quantization)) return Storage::kInt32;
  // A 16-bit float represents differences of 8-bit values exactly, but not of 16-bit values.
  return type == DataType::kInt16 ? Storage::kFloat32 : real;
}

StoredScale scale_of(DataType type, const Quantization& quantization) {
  if (quantization.empty() || !is_real(type, quantization) || type == DataType::kFloat32) return {};
  const auto zero = static_cast<float>(zero_point(quantization));
  const auto range = [zero, &quantization](float low, float high) {
    return StoredScale{quantization.scale[0], true, low - zero, high - zero};
  };
  switch (type) {
    case DataType::kInt8:
      return range(-128, 127);
    case DataType::kUInt8:
      return range(0, 255);
    case DataType::kInt16:
      return range(-32768, 32767);
    default:
      return {};
  }
}

std::vector<std::byte> to_storage(const Bhwc& shape, Storage storage, DataType type, const Quantization& quantization,
                                  std::span<const std::byte> dense) {
  std::vector<std::byte> stored(static_cast<size_t>(shape.vec4s() * bytes_of(storage)));
  const double zero = scale_of(type, quantization).quantized ? static_cast<double>(zero_point(quantization)) : 0;
  for_each_element(shape, [&](size_t from, size_t to) {
    put_stored(storage, stored.data(), to, load_dense(type, dense.data(), from) - zero);
  });
  return stored;
}

void from_storage(const Bhwc& shape, Storage storage, DataType type, const Quantization& quantization,
                  const std::byte* stored, std::span<std::byte> dense) {
  const double zero = scale_of(type, quantization).quantized ? static_cast<double>(zero_point(quantization)) : 0;
  for_each_element(shape, [&](size_t to, size_t from) {
    put_dense(type, dense.data(), to, load_stored(storage, stored, from) + zero);
  });
}

}  // namespace sightglass
