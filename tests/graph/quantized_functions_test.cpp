#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graph/quantized.h"
#include "hash_of_all.h"

namespace sightglass {
namespace {

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
