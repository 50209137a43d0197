// 64-bit FNV-1a, for file names and checksums against damage. Users that take it as a key must compare the hashed data
// too.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sightglass {

class FnvHash {
 public:
  FnvHash& add(const void* data, size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < size; ++i) value_ = (value_ ^ bytes[i]) * 0x100000001b3;
    return *this;
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace sightglass
