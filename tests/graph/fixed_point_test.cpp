// Arithmetic of quantized operators.
#include "graph/fixed_point.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

#include "graph/quantized.h"
#include "hash_of_all.h"

namespace sightglass {
namespace {

TEST(FixedPoint, RepresentsRealNumbersTo31Bits) {
  for (const double real : {1e-9, 0.0003, 0.25, 0.5, 0.999, 1.0, 1.5, 3000.0}) {
    const FixedPoint f = to_fixed_point(real);
    EXPECT_GE(f.multiplier, 1 << 30) << real;
    EXPECT_NEAR(std::ldexp(f.multiplier, f.shift - 31), real, real * std::ldexp(1, -31)) << real;
  }
}

TEST(FixedPoint, IsZeroForTinyNumbers) {
  EXPECT_EQ(to_fixed_point(0).multiplier, 0);
  EXPECT_EQ(to_fixed_point(-1).multiplier, 0);
  EXPECT_EQ(to_fixed_point(std::ldexp(1, -40)).multiplier, 0);
}

TEST(FixedPoint, AFractionRoundedUpToOneChangesTheShift) {
  const FixedPoint f = to_fixed_point(1 - std::ldexp(1, -40));
  EXPECT_EQ(f.multiplier, 1 << 30);
  EXPECT_EQ(f.shift, 1);
}

TEST(FixedPoint, RoundsHalvesAsRequested) {
  const FixedPoint quarter = to_fixed_point(0.25);  // 2^30 and a shift of -1: halving twice
  EXPECT_EQ(multiply(6, quarter, Rounding::kTwice), 2);
  EXPECT_EQ(multiply(6, quarter, Rounding::kOnce), 2);
  EXPECT_EQ(multiply(-6, quarter, Rounding::kTwice), -2);
  EXPECT_EQ(multiply(-6, quarter, Rounding::kOnce), -1);
}

// 5 * 0.25 is 1.25, but rounding twice makes it 2.5, 3, 1.5, 2.
TEST(FixedPoint, RoundsTwiceOrOnce) {
  EXPECT_EQ(multiply(5, to_fixed_point(0.25)), 2);
  EXPECT_EQ(multiply(-5, to_fixed_point(0.25)), -1);  // -2.5, -2, -1
  EXPECT_EQ(multiply(5, to_fixed_point(0.25), Rounding::kOnce), 1);
  EXPECT_EQ(multiply(-5, to_fixed_point(0.25), Rounding::kOnce), -1);
}

TEST(FixedPoint, RoundsOnceWhateverTheShift) {
  for (int shift = -31; shift <= 8; ++shift) {
    const FixedPoint factor{0x5A827999, shift};
    for (const int32_t x : {0, 1, -1, 77, -8191, 123456, -7654321, 8388607}) {
      const double exact = std::ldexp(static_cast<double>(x) * factor.multiplier, shift - 31);
      if (std::abs(exact) > 1e9) continue;
      EXPECT_EQ(multiply(x, factor, Rounding::kOnce), std::floor(exact + 0.5)) << x << " " << shift;
    }
  }
}

TEST(FixedPoint, NarrowFactorsHave15Bits) {
  EXPECT_EQ(narrowed(to_fixed_point(0.75)).multiplier, 0x6000 << 16);
  EXPECT_EQ(narrowed(to_fixed_point(1 - std::ldexp(1, -20))).multiplier, 0x7FFF << 16);  // does not become 1
  EXPECT_EQ(narrowed(to_fixed_point(0.3)).shift, to_fixed_point(0.3).shift);
}

TEST(FixedPoint, FactorsAboveOneShiftFirst) {
  EXPECT_EQ(multiply(7, to_fixed_point(3)), 21);
  EXPECT_EQ(multiply(-7, to_fixed_point(100.5)), -703);  // of -703.5: up
}

// The shifted number saturates before the multiplication.
// As lib/requantize.glsl computes it, with each float operation rounded as given.
int32_t nearest(int32_t x, const NearestFactor& factor, bool twice, bool one_sided, int rounding_mode) {
  const int32_t float_bits = std::bit_cast<int32_t>(factor.scale), exponent = float_bits & 0x7F800000;
  const int shift = factor.bits >> 10, left = std::max(shift, 0), right = std::max(-shift, 0);
  const auto whole = static_cast<uint32_t>((((float_bits & 0x7FFFFF) | 0x800000) << 7) + (factor.bits & 1023) - 512);
  const bool moves = twice && factor.scale < 0.5f, negative = !one_sided && x < 0;
  const uint32_t moved_steps = moves ? (1u << 30) << std::min(left, 1) >> right : 0;
  const uint32_t product = static_cast<uint32_t>(x) * (whole << left >> right);
  const bool below = static_cast<int32_t>(negative ? product - moved_steps : product + moved_steps) < 0;
  const int before = std::fegetround();
  std::fesetround(rounding_mode);
  const volatile float error = 0.9375f * std::bit_cast<float>(exponent - (shift << 23));
  const volatile float moved = moves ? std::bit_cast<float>(exponent) : 0.0f;
  const volatile float tie = 0.5f + moved, side = below ? tie - error : tie + error;
  const volatile float offset = side - (negative ? 2.0f * moved : 0.0f);
  const volatile float scaled = static_cast<float>(x) * factor.scale, number = scaled + offset;
  std::fesetround(before);
  return static_cast<int32_t>(std::floor(std::clamp(float{number}, -1e9f, 1e9f)));
}

struct NearestCounts {
  int with = 0, without = 0;
  int large_without = 0;  // of factors of at least 2^-13, whose steps 32 bits reach
};

// Sums around every tie, for many factors, among them those with ties: results are those of multiply().
NearestCounts check_nearest_factors(int32_t most) {
  struct Range {
    int32_t lowest, highest;
  };
  uint32_t state = 1;
  NearestCounts counts;
  for (int i = 0; i < 200; ++i) {
    state = state * 1664525u + 1013904223u;
    const double real = i < 28 ? std::ldexp(1, -i) : 2 * std::exp(-20.0 * (state >> 8) / (1 << 24));
    const FixedPoint factor = to_fixed_point(real);
    for (const Rounding rounding : {Rounding::kOnce, Rounding::kTwice}) {
      for (const Range range : {Range{-255, 0}, Range{0, 255}, Range{-128, 127}, Range{-3, 7}}) {
        const std::optional<NearestFactor> form = nearest_factor(factor, rounding, range.lowest, range.highest, most);
        ++(form ? counts.with : counts.without);
        if (!form && real >= std::ldexp(1, -13)) ++counts.large_without;
        if (!form) continue;
        const auto check = [&](double about) {
          if (std::abs(about) > most + 4) return;
          for (int32_t x = static_cast<int32_t>(about) - 3; x <= static_cast<int32_t>(about) + 3; ++x) {
            if (std::abs(x) > most) continue;
            const int32_t wanted = std::clamp(multiply(x, factor, rounding), range.lowest, range.highest);
            const bool twice = rounding == Rounding::kTwice;
            for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
              for (const bool one_sided : {false, true}) {
                if (one_sided && twice && range.lowest < 0) continue;
                const int32_t result = nearest(x, *form, twice, one_sided, mode);
                EXPECT_EQ(std::clamp(result, range.lowest, range.highest), wanted) << x << " * " << real;
              }
            }
          }
        };
        for (int32_t q = range.lowest - 2; q <= range.highest + 2; ++q) {
          check((q - 0.5) / real);
          check(q / real);
        }
        for (const int32_t far : {-most, most, most / 167, most / -13}) check(far);
      }
    }
  }
  std::printf("%d factors of %d have the form for sums up to %d\n", counts.with, counts.with + counts.without, most);
  return counts;
}

TEST(FixedPoint, NearestFactorsGiveTheSameIntegers) {
  const NearestCounts all = check_nearest_factors(kMostFloatInteger), small = check_nearest_factors(1 << 20);
  EXPECT_EQ(all.large_without, 0);
  EXPECT_EQ(small.large_without, 0);
  EXPECT_GT(all.without, small.without);  // fewer sums need less of the factor
  EXPECT_GT(small.with, 30 * small.without);
}

TEST(FixedPoint, NearestFactorsAreBelow128) {
  EXPECT_FALSE(nearest_factor(to_fixed_point(130), Rounding::kOnce, -128, 127));
  EXPECT_FALSE(nearest_factor(to_fixed_point(0.1), Rounding::kOnce, 1, 127));
  EXPECT_FALSE(nearest_factor({to_fixed_point(0.1).multiplier / 3, -3}, Rounding::kTwice, -128, 127));
  EXPECT_TRUE(nearest_factor(to_fixed_point(0), Rounding::kOnce, -128, 127));
  EXPECT_TRUE(nearest_factor({std::numeric_limits<int32_t>::max(), -3}, Rounding::kOnce, -128, 127));
}

// With data from 0 to 255 steps and from -255 to 0 steps: those that have the sign of the weights count.
TEST(FixedPoint, BoundsSumsByTheirWeights) {
  const std::vector<int8_t> values{10, -20, 3, 4, -5, -6};
  const std::vector<int32_t> biases{100, -100};
  for (const OpType op : {OpType::kConv2d, OpType::kDepthwiseConv2d}) {
    Graph graph;
    const bool depthwise = op == OpType::kDepthwiseConv2d;
    const auto add = [&graph](DataType type, const Shape& shape, int64_t zero, std::span<const std::byte> bytes) {
      Value value;
      value.type = type;
      value.shape = shape;
      value.quantization = {{0.1f}, {zero}, 0};
      if (!bytes.empty()) value.constant = Constant{type, bytes, nullptr};
      return graph.add_value(std::move(value));
    };
    Node node;
    node.op = op;
    node.inputs = {add(DataType::kUInt8, {1, 3, 3, depthwise ? 2 : 3}, 0, {}),
                   add(DataType::kInt8, depthwise ? Shape{1, 3, 1, 2} : Shape{2, 1, 1, 3}, 0,
                       std::as_bytes(std::span<const int8_t>(values))),
                   add(DataType::kInt32, {2}, 0, std::as_bytes(std::span<const int32_t>(biases)))};
    const std::vector<double> most = most_sums(graph, node, 2);
    // The channels of a convolution have consecutive weights: 10, -20, 3 and 4, -5, -6; those of planes take turns.
    const std::vector<double> expected = depthwise ? std::vector<double>{255 * 13 + 100, 255 * 26 + 100}
                                                   : std::vector<double>{255 * 20 - 100, 255 * 11 + 100};
    EXPECT_EQ(most, expected) << to_string(op);
    graph.value(node.inputs[0]).quantization.zero_point = {255};
    const std::vector<double> mirrored = depthwise ? std::vector<double>{255 * 13 - 100, 255 * 26 - 100}
                                                   : std::vector<double>{255 * 20 + 100, 255 * 11 - 100};
    EXPECT_EQ(most_sums(graph, node, 2), mirrored) << to_string(op);
  }
}

ValueId add_quantized(Graph& graph, DataType type, float scale, int64_t zero) {
  Value value;
  value.type = type;
  value.shape = Shape{1};
  value.quantization.scale = {scale};
  value.quantization.zero_point = {zero};
  return graph.add_value(std::move(value));
}

// All pairs of operands of a sum or difference, against the arithmetic of three factors. Returns whether there is a
// form.
bool check_nearest_sum(OpType op, DataType type, const float (&scales)[3]) {
  Graph graph;
  Node node;
  node.op = op;
  node.attributes = SumAttr{};
  const int64_t zero = type == DataType::kUInt8 ? 100 : -17;
  for (const float scale : {scales[0], scales[1]}) node.inputs.push_back(add_quantized(graph, type, scale, zero));
  node.outputs = {add_quantized(graph, type, scales[2], zero)};
  const std::optional<NearestSum> form = nearest_sum(graph, node);
  if (!form) return false;
  const SumFactors factors = sum_factors(graph, node);
  const QuantumRange range = quantum_range(graph.value(node.outputs[0]), Activation::kNone);
  const int32_t sign = op == OpType::kSub ? -1 : 1;
  for (int32_t x = range.lowest; x <= range.highest; ++x) {
    for (int32_t y = range.lowest; y <= range.highest; ++y) {
      const int32_t sum =
          multiply(x << factors.headroom, factors.a) + sign * multiply(y << factors.headroom, factors.b);
      const int64_t steps = int64_t{x} * form->a + int64_t{y} * form->b, below = steps >> 30;
      const int64_t rest = steps - (below << 30) - form->half_step - (below < 0 ? form->moved : 0);
      const auto got = static_cast<int32_t>(below + (rest >= 0 ? 1 : 0));
      EXPECT_EQ(std::clamp(got, range.lowest, range.highest),
                std::clamp(multiply(sum, factors.out), range.lowest, range.highest))
          << x << " and " << y << " of " << scales[0] << ", " << scales[1] << " to " << scales[2];
      if (::testing::Test::HasFailure()) return true;
    }
  }
  return true;
}

TEST(FixedPoint, NearestSumsGiveTheSameIntegers) {
  uint32_t state = 7;
  const auto scale = [&state] {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(std::exp(-3.0 * (state >> 8) / (1 << 24)));
  };
  int with = 0, count = 0;
  for (const OpType op : {OpType::kAdd, OpType::kSub}) {
    for (const DataType type : {DataType::kInt8, DataType::kUInt8}) {
      EXPECT_TRUE(check_nearest_sum(op, type, {0.5f, 0.5f, 1.0f}));  // half of the sums are ties
      EXPECT_TRUE(check_nearest_sum(op, type, {0.25f, 0.5f, 0.5f}));
      for (int i = 0; i < 40; ++i, ++count) with += check_nearest_sum(op, type, {scale(), scale(), scale()}) ? 1 : 0;
    }
  }
  std::printf("%d sums of %d have the form\n", with, count);
  EXPECT_GT(with, count / 2);
}

TEST(FixedPoint, StaysWithin32Bits) {
  EXPECT_EQ(multiply(1 << 30, to_fixed_point(4)), 1 << 30);
  EXPECT_EQ(multiply(INT32_MIN, to_fixed_point(1 << 20)), INT32_MIN / 2);
}

TEST(FixedPoint, Saturates) {
  EXPECT_EQ(saturated(-3.9), -3);
  EXPECT_EQ(saturated(1e300), INT32_MAX);
  EXPECT_EQ(saturated(-INFINITY), INT32_MIN);
  EXPECT_EQ(saturated(NAN), 0);
}

constexpr int32_t kLowest = -32768, kHighest = 32767;

// The expected sums are from FixedPoint<int16_t> of gemmlowp.
TEST(FixedFunctions, LogisticMatchesTensorFlowLite) {
  EXPECT_EQ(hash_of_all(fixed_logistic), 0xa2cc3b4d3e1c307u);
  const std::pair<int32_t, int32_t> known[] = {{-32768, 11}, {-4096, 8815}, {-1, 16383},   {0, 16384},
                                               {1, 16384},   {4096, 23952}, {32767, 32756}};
  for (const auto& [x, y] : known) EXPECT_EQ(fixed_logistic(x), y) << x;
}

TEST(FixedFunctions, TanhMatchesTensorFlowLite) {
  const uint64_t hashes[kMaxTanhBits + 1] = {0xa1125e53730a1b47u, 0x3e57ed06662ae8efu, 0x8bbd717c2be73713u,
                                             0x2190f47c680cc42au, 0xca1f378d16d7a09cu, 0xa28e2df23a975508u,
                                             0x689690a2d2eee9eau};
  for (int bits = 0; bits <= kMaxTanhBits; ++bits) {
    EXPECT_EQ(hash_of_all([bits](int32_t x) { return fixed_tanh(x, bits); }), hashes[bits]) << bits;
  }
  EXPECT_EQ(fixed_tanh(0, 3), 0);
  EXPECT_EQ(fixed_tanh(4096, 3), 24964);
  EXPECT_EQ(fixed_tanh(-9000, 4), -32764);
}

TEST(FixedFunctions, AreCloseToTheRealFunctions) {
  double worst_logistic = 0, worst_tanh = 0;
  for (int32_t x = kLowest; x <= kHighest; ++x) {
    worst_logistic = std::max(worst_logistic, std::abs(fixed_logistic(x) - 32768 / (1 + std::exp(-x / 4096.0))));
    for (int bits = 0; bits <= kMaxTanhBits; ++bits) {
      worst_tanh = std::max(worst_tanh, std::abs(fixed_tanh(x, bits) - 32768 * std::tanh(std::ldexp(x, bits - 15))));
    }
  }
  std::printf("at most %.1f and %.1f steps of 2^-15 from the real functions\n", worst_logistic, worst_tanh);
  EXPECT_LE(worst_logistic, 7);
  EXPECT_LE(worst_tanh, 13);
}

struct Case {
  const char* name;
  OpType op;
  Attributes attributes;
  float in_scale, out_scale;
  uint64_t hash;  // of the results of the built-in kernels of LiteRT 2.5.3
};

IntegerFunction function_of(const Case& c) {
  Graph graph;
  const auto add = [&](const char* name, float scale) {
    Value value;
    value.name = name;
    value.type = DataType::kInt16;
    value.shape = Shape{1};
    value.quantization = {{scale}, {0}};
    return graph.add_value(std::move(value));
  };
  Node node;
  node.op = c.op;
  node.attributes = c.attributes;
  node.inputs = {add("in", c.in_scale)};
  node.outputs = {add("out", c.out_scale)};
  return integer_function(graph, node);
}

TEST(QuantizedFunctions, OfSixteenBitsMatchLiteRt) {
  constexpr float kUnit = 1.0f / 32768;
  const Case cases[] = {
      {"RELU", OpType::kRelu, {}, 0.0003f, 0.0011f, 0xeb23026eb3fdb1b5u},
      {"RELU6", OpType::kRelu6, {}, 0.0003f, 0.0007f, 0xd53aaa6957674d11u},
      {"ABS", OpType::kAbs, {}, 0.0003f, 0.0011f, 0x203cdb11616c07f2u},
      {"LEAKY_RELU", OpType::kLeakyRelu, LeakyReluAttr{0.3f}, 0.0003f, 0.0011f, 0x708a3b25f1869decu},
      {"EXP", OpType::kExp, {}, 0.0003f, 0.5f, 0xb87069c0cd193a6cu},
      {"LOG", OpType::kLog, {}, 0.0003f, 0.0002f, 0x772b0a6bf2a20367u},
      {"GELU", OpType::kGelu, GeluAttr{false}, 0.0003f, 0.0003f, 0xc4f760cf0ef0dcfeu},
      {"GELU, approximate", OpType::kGelu, GeluAttr{true}, 0.0003f, 0.0004f, 0x9a18dbcf55e3b019u},
      {"LOGISTIC", OpType::kLogistic, {}, 0.0003f, kUnit, 0x56b29566034be8au},
      {"LOGISTIC of 2^-12", OpType::kLogistic, {}, 0x1p-12f, kUnit, 0xa2cc3b4d3e1c307u},
      {"LOGISTIC near 2^-12", OpType::kLogistic, {}, 0x1p-12f * 1.0005f, kUnit, 0xa2cc3b4d3e1c307u},
      {"LOGISTIC of 2^-11", OpType::kLogistic, {}, 0x1p-11f, kUnit, 0x6c070b02455f4806u},
      {"LOGISTIC of 2^-10", OpType::kLogistic, {}, 0x1p-10f, kUnit, 0x62bbc7e1a005f70eu},
      {"LOGISTIC of 2^-13", OpType::kLogistic, {}, 0x1p-13f, kUnit, 0x76299331e4110bcau},
      {"LOGISTIC of great values", OpType::kLogistic, {}, 5, kUnit, 0xc0aa49b4f52d09cu},
      {"LOGISTIC of small values", OpType::kLogistic, {}, 1e-6f, kUnit, 0xd28d90bebde6aa76u},
      {"TANH", OpType::kTanh, {}, 0.0003f, kUnit, 0x1aaffa77d2f1439bu},
      {"TANH of 2^-12", OpType::kTanh, {}, 0x1p-12f, kUnit, 0x2190f47c680cc42au},
      {"TANH near 2^-12", OpType::kTanh, {}, 0x1p-12f * 1.0005f, kUnit, 0x2190f47c680cc42au},
      {"TANH of 2^-11", OpType::kTanh, {}, 0x1p-11f, kUnit, 0xca1f378d16d7a09cu},
      {"TANH of 2^-10", OpType::kTanh, {}, 0x1p-10f, kUnit, 0xe61ace207185a3d0u},
      {"TANH of 2^-13", OpType::kTanh, {}, 0x1p-13f, kUnit, 0x61f4b9e4a4b76637u},
      {"TANH of great values", OpType::kTanh, {}, 5, kUnit, 0x26ef6cd26c92a40cu},
      {"TANH of small values", OpType::kTanh, {}, 1e-6f, kUnit, 0xbfc764482bcaecf2u},
  };
  for (const Case& c : cases) {
    const IntegerFunction function = function_of(c);
    ASSERT_TRUE(function) << c.name;
    EXPECT_EQ(hash_of_all([&](int32_t x) { return std::clamp(function(x), -32768, 32767); }), c.hash) << c.name;
  }
}

// Where LiteRT has no kernel, or cannot say what its numbers mean.
TEST(QuantizedFunctions, OthersOfSixteenBitsAreReal) {
  for (const OpType op : {OpType::kElu, OpType::kRsqrt, OpType::kHardSwish, OpType::kNeg}) {
    EXPECT_FALSE(function_of({"", op, {}, 0.0003f, 0.0003f, 0}));
  }
  EXPECT_FALSE(function_of({"", OpType::kLogistic, {}, 0.0003f, 0x1p-14f, 0}));
}

// Infinite results of a function saturate.
TEST(QuantizedFunctions, OverflowSaturates) {
  const IntegerFunction exp = function_of({"", OpType::kExp, {}, 0.01f, 1, 0});
  EXPECT_EQ(exp(32767), 32767);
  EXPECT_EQ(exp(-32768), 0);
}

}  // namespace
}  // namespace sightglass
