// A check sum of a function of 16 bits over all its arguments.
#pragma once

#include <cstdint>

namespace sightglass {

// FNV-1a over the results for -32768 to 32767, each of 16 bits.
template <typename Function>
uint64_t hash_of_all(Function function) {
  uint64_t hash = 1469598103934665603u;
  for (int32_t x = -32768; x <= 32767; ++x) {
    hash = (hash ^ static_cast<uint16_t>(function(x))) * 1099511628211u;
  }
  return hash;
}

}  // namespace sightglass
