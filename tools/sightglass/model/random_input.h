// The pseudorandom model inputs of the reference outputs: a counter-based 64-bit stream, the same on every machine. If
// it changes, all stored reference outputs become invalid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sightglass/tensor.h"

namespace sightglass {

// One stream serves all random inputs of a model in order, elements in row-major order.
//   float32: [0, 1) in steps of 2^-24     uint8, int8: the whole range
//   int32, int64: 0 to 7                  bool: 0 or 1
class RandomStream {
 public:
  explicit RandomStream(uint64_t seed) : state_(seed) {}

  uint64_t next();
  // Fills `bytes` with as many elements of `type` as fit. Returns false without consuming the stream for types that it
  // does not define (float16, int16).
  bool fill(DataType type, std::span<std::byte> bytes);

 private:
  uint64_t state_;
};

}  // namespace sightglass
