// Element types, shapes and host-side tensors. No GL.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace sightglass {

enum class DataType : uint8_t { kFloat32, kFloat16, kInt8, kUInt8, kInt16, kInt32, kInt64, kBool };

// Bytes of one element.
size_t size_of(DataType type);
// Its name in TensorFlow Lite: "float32", "int8", …
const char* to_string(DataType type);

// Dimensions as in the file, outermost first. Rank 0 is a scalar. Every dimension is at least 0.
class Shape {
 public:
  static constexpr int kMaxRank = 8;

  Shape() = default;
  Shape(std::initializer_list<int32_t> dims);
  explicit Shape(std::span<const int32_t> dims);  // at most kMaxRank of them

  int rank() const { return rank_; }
  int32_t dim(int i) const { return dims_[static_cast<size_t>(i)]; }
  void set_dim(int i, int32_t v) { dims_[static_cast<size_t>(i)] = v; }
  std::span<const int32_t> dims() const { return {dims_.data(), static_cast<size_t>(rank_)}; }
  int64_t elements() const;       // product; the importer keeps it below 2^31
  std::string to_string() const;  // "1x256x256x3"; "scalar" for rank 0
  bool operator==(const Shape&) const = default;

 private:
  std::array<int32_t, kMaxRank> dims_{};
  int rank_ = 0;
};

// A shape as batch, rows, columns, channels, the GPU storage layout. Right-aligned: lower ranks get leading ones, so
// numpy broadcasting needs no special case. Rank 5 folds its first two dimensions into the batch.
struct Bhwc {
  int32_t b = 1, h = 1, w = 1, c = 1;
  static Bhwc from(const Shape& shape);           // rank 0 to 5
  int32_t slices() const { return (c + 3) / 4; }  // groups of four channels
  int64_t vec4s() const { return int64_t{b} * slices() * h * w; }
  bool operator==(const Bhwc&) const = default;
};

// Affine quantization: real = scale * (q - zero_point). Empty if not quantized. One entry, or one per index of `axis`.
struct Quantization {
  std::vector<float> scale;
  std::vector<int64_t> zero_point;
  int32_t axis = 0;
  bool empty() const { return scale.empty(); }
};

// Numbers from `low` to `high`, both included; all numbers by default.
struct ValueRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool operator==(const ValueRange&) const = default;
};

// A tightly packed, row-major tensor in host memory, for the reference kernels and explicit readback.
struct HostTensor {
  DataType type = DataType::kFloat32;
  Shape shape;
  std::vector<std::byte> data;  // shape.elements() * size_of(type), little-endian

  HostTensor() = default;
  HostTensor(DataType t, const Shape& s);  // zero-filled
  static HostTensor from_floats(const Shape& s, std::span<const float> values);

  template <typename T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(data.data()), data.size() / sizeof(T)};
  }
  template <typename T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
  }
};

// IEEE 754 binary16 to and from binary32, round to nearest even.
float half_to_float(uint16_t h);
uint16_t float_to_half(float f);

}  // namespace sightglass
