// Element types that an operator accepts and produces, as stated in graph/operator_table.h.
#pragma once

#include <cstdint>

namespace sightglass::operators {

// Sets of types. 8-bit and 16-bit integers are distinguished by their quantization.
using Types = uint32_t;
inline constexpr Types kF = 1;                        // float32
inline constexpr Types kH = 1 << 1;                   // float16
inline constexpr Types kQ = 1 << 2;                   // 8 or 16 bits with one scale for all elements
inline constexpr Types kAxes = 1 << 3;                // the same with per-axis scales, or unusable scales
inline constexpr Types kN = 1 << 4;                   // the same without a scale
inline constexpr Types kI = 1 << 5;                   // int32
inline constexpr Types kL = 1 << 6;                   // int64
inline constexpr Types kB = 1 << 7;                   // bool
inline constexpr Types kReal = kF | kQ;               // real numbers, quantized or not
inline constexpr Types kIntegers = kI | kL;           // int32 and int64
inline constexpr Types kNumbers = kReal | kIntegers;  // operands of arithmetic
inline constexpr Types kElements = kNumbers | kN | kB;
inline constexpr Types kAny = kElements | kH | kAxes;

inline constexpr Types kAsData = 0;  // for results: the type of the data

// Types of the inputs other than the data.
enum class OtherInputs : uint8_t {
  kAlike,      // the type of input 0
  kWeights,    // weights and biases, possibly stored as other types
  kIndices,    // int32 or int64
  kCondition,  // input 0 is a bool, the others are the data
};

struct TypeRule {
  Types data;            // input 0, and other inputs if they are kAlike
  Types made = kAsData;  // outputs
  OtherInputs others = OtherInputs::kAlike;
};

}  // namespace sightglass::operators
