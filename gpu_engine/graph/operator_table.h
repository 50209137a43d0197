// What the rows of graph/operators.h say of types and traits, as a table.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "graph/op.h"

namespace sightglass::operators {

// Sets of element types that an operator accepts and produces. 8-bit and 16-bit integers are distinguished by their
// quantization.
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

// Sets of properties: code asks for them to treat operators alike.
using Traits = uint32_t;
inline constexpr Traits kNoTraits = 0;
inline constexpr Traits kUnary = 1;                  // element-wise function of one operand that keeps its type
inline constexpr Traits kBinary = 1 << 1;            // function of two operands that broadcast, not a comparison
inline constexpr Traits kCompares = 1 << 2;          // comparison of two operands that broadcast
inline constexpr Traits kReduces = 1 << 3;           // reduction along axes: MEAN and the like
inline constexpr Traits kMovesAsIs = 1 << 4;         // moves_as_is()
inline constexpr Traits kBySteps = 1 << 5;           // movements() describes it
inline constexpr Traits kKeepsEqualShapes = 1 << 6;  // copies its input if input and output have the same shape
inline constexpr Traits kSeveralOutputs = 1 << 7;    // its shape function and its reference make all of them
inline constexpr Traits kNotNegative = 1 << 8;       // known to produce no negative values
inline constexpr Traits kTakesActivation = 1 << 9;   // rewrites may fuse any activation but PRELU into it
inline constexpr Traits kPacksConstants = 1 << 10;   // packs_constants()
// has_weights(); takes a fused PRELU as well
inline constexpr Traits kHasWeights = 1 << 11 | kTakesActivation | kPacksConstants;
inline constexpr Traits kNotInFiles = 1 << 12;  // only rewrites and the importer make it
// Copies, compares, or averages stored numbers: its quantized tensors have one quantization. If they differ in a file,
// the numbers count (graph/analyses.h).
inline constexpr Traits kKeepsNumbers = 1 << 13;
inline constexpr Traits kKeepsRange = 1 << 14;       // elements of the output are between those of input 0
inline constexpr Traits kReadsImages = 1 << 15;      // reads and writes batch, rows, columns, channels
inline constexpr Traits kKeepsDimensions = 1 << 16;  // has the dimensions of input 0, although sizes may differ
// Compares the elements of each row, along the last dimension, with each other. The second output has their positions.
inline constexpr Traits kRanks = 1 << 17;

struct Row {
  OpType op;
  const char* name;   // in TensorFlow Lite
  size_t attributes;  // index of their type in Attributes
  TypeRule types;
  Traits traits = kNoTraits;
  Activation activation = Activation::kNone;  // computed by the operator itself
};

template <typename T, typename... All>
constexpr size_t index_among(std::type_identity<std::variant<All...>>) {
  constexpr std::array same{std::is_same_v<T, All>...};
  return static_cast<size_t>(std::ranges::find(same, true) - same.begin());
}
template <typename T>
inline constexpr size_t kAttr = index_among<T>(std::type_identity<Attributes>());

using enum OpType;
using enum OtherInputs;

inline constexpr auto kTable = std::to_array<Row>({
#define OPERATOR(type, tflite, attr, shapes, reference, kernels, ...) \
  {.op = type, .name = #tflite, .attributes = kAttr<attr>, __VA_ARGS__},
#include "graph/operators.h"
});

constexpr const Row& row_of(OpType op) { return kTable[static_cast<size_t>(op)]; }

constexpr bool has(const Row& row, Traits traits) { return (row.traits & traits) == traits; }
constexpr bool has(OpType op, Traits traits) { return has(row_of(op), traits); }

// For tables of some operators, whose rows have the operator as `op`: number of rows of an operator.
template <typename Rows>
constexpr auto rows_of(const Rows& rows, OpType op) {
  return std::ranges::count_if(rows, [op](const auto& row) { return row.op == op; });
}
// Whether the table has one row for every operator with the traits.
template <typename Rows>
constexpr bool lists_all(const Rows& rows, Traits traits) {
  return std::ranges::all_of(kTable, [&](const Row& row) { return !has(row, traits) || rows_of(rows, row.op) == 1; });
}
// Whether it has no other rows either.
template <typename Rows>
constexpr bool lists_exactly(const Rows& rows, Traits traits) {
  return lists_all(rows, traits) && std::ranges::all_of(rows, [&](const auto& row) { return has(row.op, traits); });
}
// The row of an operator; the table must list it.
template <typename Rows>
constexpr const auto& find_row(const Rows& rows, OpType op) {
  return *std::ranges::find_if(rows, [op](const auto& row) { return row.op == op; });
}

}  // namespace sightglass::operators
