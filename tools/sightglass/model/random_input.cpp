#include "model/random_input.h"

#include <cstring>

namespace sightglass {
namespace {

template <typename T, typename Draw>
void fill_with(std::span<std::byte> bytes, Draw draw) {
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    const T value = draw();
    std::memcpy(bytes.data() + at, &value, sizeof(T));
  }
}

}  // namespace

uint64_t RandomStream::next() {
  state_ += 0x9E3779B97F4A7C15u;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

bool RandomStream::fill(DataType type, std::span<std::byte> bytes) {
  switch (type) {
    case DataType::kFloat32:
      fill_with<float>(bytes, [this] { return static_cast<float>(next() >> 40) * 0x1p-24f; });
      return true;
    case DataType::kUInt8:
      fill_with<uint8_t>(bytes, [this] { return static_cast<uint8_t>(next() >> 56); });
      return true;
    case DataType::kInt8:
      fill_with<int8_t>(bytes, [this] { return static_cast<int8_t>(static_cast<int>(next() >> 56) - 128); });
      return true;
    case DataType::kInt32:
      fill_with<int32_t>(bytes, [this] { return static_cast<int32_t>((next() >> 33) % 8); });
      return true;
    case DataType::kInt64:
      fill_with<int64_t>(bytes, [this] { return static_cast<int64_t>((next() >> 33) % 8); });
      return true;
    case DataType::kBool:
      fill_with<uint8_t>(bytes, [this] { return static_cast<uint8_t>(next() >> 63); });
      return true;
    case DataType::kFloat16:
    case DataType::kInt16:
      return false;
  }
  return false;
}

}  // namespace sightglass
