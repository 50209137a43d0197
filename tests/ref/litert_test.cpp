// Operators on quantized values whose results LiteRT computes with few bits: the same integers as those of its built-in
// kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "graph/graph.h"
#include "ref/ref_ops.h"

namespace sightglass::test {
namespace {

enum class Range : uint8_t { kAny, kNotZero, kNotNegative };

struct QuantizedTensor {
  DataType type;
  Shape shape;
  float scale;
  int32_t zero;
  Range range = Range::kAny;
};

// The high bits of a linear congruential generator, in the whole range of the type.
HostTensor congruential_numbers(const QuantizedTensor& tensor, uint32_t seed) {
  HostTensor result(tensor.type, tensor.shape);
  const size_t size = size_of(tensor.type);
  for (size_t i = 0; i < result.data.size() / size; ++i) {
    seed = seed * 1664525 + 1013904223;
    int32_t number = tensor.type == DataType::kInt16  ? static_cast<int16_t>(seed >> 16)
                     : tensor.type == DataType::kInt8 ? static_cast<int8_t>(seed >> 24)
                                                      : static_cast<int32_t>(seed >> 24);
    if (tensor.range == Range::kNotZero && number == tensor.zero) ++number;
    if (tensor.range == Range::kNotNegative) {
      number = tensor.type == DataType::kInt16 ? std::abs(number) % 32768 : std::max(number, tensor.zero);
    }
    std::memcpy(result.data.data() + i * size, &number, size);  // little-endian: the low bytes
  }
  return result;
}

ValueId add_tensor(Graph& graph, const QuantizedTensor& tensor) {
  Value value;
  value.name = "value " + std::to_string(tensor.scale);
  value.type = tensor.type;
  value.shape = tensor.shape;
  if (tensor.type != DataType::kBool) value.quantization = {{tensor.scale}, {tensor.zero}};
  return graph.add_value(std::move(value));
}

// Expects this FNV-1a hash of the bytes of the output, which is that of LiteRT 2.5.3.
void expect_hash(const char* name, OpType op, const Attributes& attributes, const std::vector<QuantizedTensor>& ins,
                 const QuantizedTensor& out, uint64_t expected) {
  Graph graph;
  Node node;
  node.op = op;
  node.attributes = attributes;
  std::vector<HostTensor> tensors;
  std::vector<const HostTensor*> arguments;
  tensors.reserve(ins.size());
  for (const QuantizedTensor& input : ins) {
    node.inputs.push_back(add_tensor(graph, input));
    tensors.push_back(congruential_numbers(input, static_cast<uint32_t>(tensors.size() + 1)));
    arguments.push_back(&tensors.back());
  }
  node.outputs = {add_tensor(graph, out)};
  const auto results = ref::evaluate(graph, node, arguments);
  EXPECT_TRUE(results.ok()) << name << ": " << results.status().message();
  uint64_t hash = 1469598103934665603u;
  for (size_t i = 0; results.ok() && i < results->at(0).data.size(); ++i) {
    hash = (hash ^ std::to_integer<uint64_t>(results->at(0).data[i])) * 1099511628211u;
  }
  EXPECT_EQ(hash, expected) << name;
}

TEST(RefQuantized, ResultsAreThoseOfLiteRt) {
  using enum DataType;
  expect_hash("RESIZE_BILINEAR int16", OpType::kResizeBilinear, ResizeAttr{20, 15, false, false},
              {{kInt16, {2, 9, 7, 5}, 0.02f, 0}}, {kInt16, {2, 20, 15, 5}, 0.02f, 0}, 0x9ed09e09e7a9c048u);
  expect_hash("RESIZE_BILINEAR int16, half pixels", OpType::kResizeBilinear, ResizeAttr{20, 15, false, true},
              {{kInt16, {2, 9, 7, 5}, 0.02f, 0}}, {kInt16, {2, 20, 15, 5}, 0.02f, 0}, 0xa4cbc33f64260d21u);
  expect_hash("RESIZE_BILINEAR int16, corners", OpType::kResizeBilinear, ResizeAttr{40, 37, true, false},
              {{kInt16, {1, 13, 11, 4}, 0.02f, 0}}, {kInt16, {1, 40, 37, 4}, 0.02f, 0}, 0xf5992a716c0daaddu);
  expect_hash("RESIZE_BILINEAR int16, smaller", OpType::kResizeBilinear, ResizeAttr{9, 6, false, true},
              {{kInt16, {1, 20, 20, 3}, 0.02f, 0}}, {kInt16, {1, 9, 6, 3}, 0.02f, 0}, 0x9659152384670c46u);
  expect_hash("RESIZE_BILINEAR uint8", OpType::kResizeBilinear, ResizeAttr{20, 15, false, false},
              {{kUInt8, {2, 9, 7, 5}, 0.02f, 120}}, {kUInt8, {2, 20, 15, 5}, 0.02f, 120}, 0xa5ebc723456a5b4eu);
  expect_hash("RESIZE_BILINEAR uint8, half pixels", OpType::kResizeBilinear, ResizeAttr{20, 15, false, true},
              {{kUInt8, {2, 9, 7, 5}, 0.02f, 120}}, {kUInt8, {2, 20, 15, 5}, 0.02f, 120}, 0xae06dc57b57c0ee1u);
  expect_hash("RESIZE_BILINEAR uint8, corners", OpType::kResizeBilinear, ResizeAttr{40, 37, true, false},
              {{kUInt8, {1, 13, 11, 4}, 0.02f, 120}}, {kUInt8, {1, 40, 37, 4}, 0.02f, 120}, 0x915dad80a992207bu);
  expect_hash("RESIZE_BILINEAR uint8, smaller", OpType::kResizeBilinear, ResizeAttr{9, 6, false, true},
              {{kUInt8, {1, 20, 20, 3}, 0.02f, 120}}, {kUInt8, {1, 9, 6, 3}, 0.02f, 120}, 0x18e22092c0944643u);
  expect_hash("SOFTMAX of 0.0003, 16 values", OpType::kSoftmax, SoftmaxAttr{1}, {{kInt16, {75, 16}, 0.0003f, 0}},
              {kInt16, {75, 16}, 0x1p-15f, 0}, 0x463c9b9823144054u);
  expect_hash("SOFTMAX of 0.0003, 1000 values", OpType::kSoftmax, SoftmaxAttr{0.5f}, {{kInt16, {1, 1000}, 0.0003f, 0}},
              {kInt16, {1, 1000}, 0x1p-15f, 0}, 0x6d1e16e203526bc2u);
  expect_hash("SOFTMAX of 1e-05, 7 values", OpType::kSoftmax, SoftmaxAttr{3}, {{kInt16, {171, 7}, 1e-05f, 0}},
              {kInt16, {171, 7}, 0x1p-15f, 0}, 0xefb4e16d89c434f5u);
  expect_hash("SOFTMAX of 1, 5 values", OpType::kSoftmax, SoftmaxAttr{1}, {{kInt16, {240, 5}, 1, 0}},
              {kInt16, {240, 5}, 0x1p-15f, 0}, 0x6516355a495e83a6u);
  expect_hash("SOFTMAX of 0.00015, 300 values", OpType::kSoftmax, SoftmaxAttr{1},
              {{kInt16, {4, 300}, 0.00015259022f, 0}}, {kInt16, {4, 300}, 0x1p-15f, 0}, 0x3edf8e7262a642fcu);
  expect_hash("ADD of 2^-11 and 2^-10", OpType::kAdd, SumAttr{true},
              {{kInt16, {1, 8, 8, 4}, 0x1p-11f, 0}, {kInt16, {1, 8, 8, 4}, 0x1p-10f, 0}},
              {kInt16, {1, 8, 8, 4}, 0x1p-10f, 0}, 0x87925b4f28b1d608u);
  expect_hash("ADD of 2^-10 and 2^-13", OpType::kAdd, SumAttr{true},
              {{kInt16, {1, 8, 8, 4}, 0x1p-10f, 0}, {kInt16, {1, 8, 8, 4}, 0x1p-13f, 0}},
              {kInt16, {1, 8, 8, 4}, 0x1p-10f, 0}, 0x899f24173420c8ecu);
  expect_hash("ADD of 2^-10 and 2^-10", OpType::kAdd, SumAttr{true},
              {{kInt16, {1, 8, 8, 4}, 0x1p-10f, 0}, {kInt16, {1, 8, 8, 4}, 0x1p-10f, 0}},
              {kInt16, {1, 8, 8, 4}, 0x1p-10f, 0}, 0xc4b0c4aeb79e1060u);
  expect_hash("ADD of 2^-10 and 2^-26", OpType::kAdd, SumAttr{true},
              {{kInt16, {1, 8, 8, 4}, 0x1p-10f, 0}, {kInt16, {1, 8, 8, 4}, 0x1p-26f, 0}},
              {kInt16, {1, 8, 8, 4}, 0x1p-10f, 0}, 0x5bd7e894c0939fc9u);
  expect_hash("SUB of 2^-10 and 2^-15", OpType::kSub, SumAttr{true},
              {{kInt16, {1, 8, 8, 4}, 0x1p-10f, 0}, {kInt16, {1, 8, 8, 4}, 0x1p-15f, 0}},
              {kInt16, {1, 8, 8, 4}, 0x1p-10f, 0}, 0x390a8517def75380u);
  expect_hash("SUB of 2^-14 and 2^-10", OpType::kSub, SumAttr{true},
              {{kInt16, {1, 8, 8, 4}, 0x1p-14f, 0}, {kInt16, {1, 8, 8, 4}, 0x1p-10f, 0}},
              {kInt16, {1, 8, 8, 4}, 0x1p-10f, 0}, 0xf0d25a0e244480a9u);
  expect_hash("ADD of 2^-11 and 2^-10, with factors", OpType::kAdd, {},
              {{kInt16, {1, 8, 8, 4}, 0x1p-11f, 0}, {kInt16, {1, 8, 8, 4}, 0x1p-10f, 0}},
              {kInt16, {1, 8, 8, 4}, 0x1p-10f, 0}, 0x330da47ce9696598u);
  expect_hash("PRELU of int16 to 0.0003", OpType::kPrelu, {},
              {{kInt16, {1, 8, 8, 4}, 0.0003f, 0}, {kInt8, {1, 1, 4}, 0.02f, 0}}, {kInt16, {1, 8, 8, 4}, 0.0003f, 0},
              0x71c6d05dacb4f24du);
  expect_hash("PRELU of int16 to 0.0001", OpType::kPrelu, {},
              {{kInt16, {1, 8, 8, 4}, 0.0003f, 0}, {kInt8, {1, 1, 4}, 0.02f, 0}}, {kInt16, {1, 8, 8, 4}, 0.0001f, 0},
              0x62fdb1e1bda01f1fu);
  expect_hash("L2_NORMALIZATION of 4 uint8", OpType::kL2Normalization, {}, {{kUInt8, {1, 1, 500, 4}, 0.02f, 128}},
              {kUInt8, {1, 1, 500, 4}, 0x1p-7f, 128}, 0x36ddaacfee981a5bu);
  expect_hash("L2_NORMALIZATION of 257 uint8", OpType::kL2Normalization, {}, {{kUInt8, {1, 1, 7, 257}, 0.02f, 128}},
              {kUInt8, {1, 1, 7, 257}, 0x1p-7f, 128}, 0x2df1fa1980d4fd09u);
  expect_hash("L2_NORMALIZATION of 4 int8", OpType::kL2Normalization, {}, {{kInt8, {1, 1, 500, 4}, 0.02f, -13}},
              {kInt8, {1, 1, 500, 4}, 0x1p-7f, 0}, 0x81626fe886f80e81u);
  expect_hash("L2_NORMALIZATION of 257 int8", OpType::kL2Normalization, {}, {{kInt8, {1, 1, 7, 257}, 0.02f, -13}},
              {kInt8, {1, 1, 7, 257}, 0x1p-7f, 0}, 0xa79f62864ebb07e7u);
  expect_hash("SQRT of int8 to 0.02", OpType::kSqrt, {}, {{kInt8, {256}, 0.1f, -40, Range::kNotNegative}},
              {kInt8, {256}, 0.02f, -128}, 0xfa5b98fdf3887de7u);
  expect_hash("SQRT of int8 to 0.00625", OpType::kSqrt, {}, {{kInt8, {256}, 0.1f, -40, Range::kNotNegative}},
              {kInt8, {256}, 0.00625f, 5}, 0x9938942c084e9ed9u);
  expect_hash("SQRT of int16 to 0.0001", OpType::kSqrt, {}, {{kInt16, {2000}, 0.0003f, 0, Range::kNotNegative}},
              {kInt16, {2000}, 0.0001f, 0}, 0x64d98caa98adf28au);
  expect_hash("SQRT of int16 to 1e-05", OpType::kSqrt, {}, {{kInt16, {2000}, 0.0003f, 0, Range::kNotNegative}},
              {kInt16, {2000}, 1e-05f, 0}, 0xf5c5e8653adafcdu);
  expect_hash("PADV2 of int8", OpType::kPad, PadAttr{{0, 1, 2, 0}, {0, 2, 1, 1}, 10}, {{kInt8, {1, 4, 3, 5}, 0.02f, 7}},
              {kInt8, {1, 7, 6, 6}, 0.02f, 7}, 0x99e3716a6c97de28u);
  expect_hash("EQUAL of int8, 0.003 and 0.0045", OpType::kEqual, {},
              {{kInt8, {16, 16, 8}, 0.003f, 3}, {kInt8, {16, 16, 8}, 0.0045f, -5}}, {kBool, {16, 16, 8}, 1, 0},
              0x90ffe3b8d6effa8u);
  expect_hash("NOT_EQUAL of uint8, 0.01 and 0.02", OpType::kNotEqual, {},
              {{kUInt8, {16, 16, 8}, 0.01f, 100}, {kUInt8, {16, 16, 8}, 0.02f, 130}}, {kBool, {16, 16, 8}, 1, 0},
              0x7c42fac08480c2b4u);
  expect_hash("LESS of int8, 0.0001 and 0.0002", OpType::kLess, {},
              {{kInt8, {16, 16, 8}, 0.0001f, 0}, {kInt8, {16, 16, 8}, 0.0002f, 7}}, {kBool, {16, 16, 8}, 1, 0},
              0x823662d7d562b4aau);
  expect_hash("LESS_EQUAL of uint8, 0.002 and 0.0039", OpType::kLessEqual, {},
              {{kUInt8, {16, 16, 8}, 0x1p-9f, 0}, {kUInt8, {16, 16, 8}, 0x1p-8f, 255}}, {kBool, {16, 16, 8}, 1, 0},
              0x19dbc3365ea56383u);
  expect_hash("GREATER of int8, 0.9 and 0.45", OpType::kGreater, {},
              {{kInt8, {16, 16, 8}, 0.9f, -128}, {kInt8, {16, 16, 8}, 0.45f, 1}}, {kBool, {16, 16, 8}, 1, 0},
              0x6a1fa70c1712967du);
  expect_hash("GREATER_EQUAL of uint8, 0.1 and 1e-05", OpType::kGreaterEqual, {},
              {{kUInt8, {16, 16, 8}, 0.1f, 9}, {kUInt8, {16, 16, 8}, 1e-05f, 8}}, {kBool, {16, 16, 8}, 1, 0},
              0xc353196df8f224cau);
  expect_hash("EQUAL of int16, 1e-06 and 2e-06", OpType::kEqual, {},
              {{kInt16, {16, 16, 8}, 1e-06f, 0}, {kInt16, {16, 16, 8}, 2e-06f, 0}}, {kBool, {16, 16, 8}, 1, 0},
              0x19372510fe7295f6u);
  expect_hash("NOT_EQUAL of int16, 1e-05 and 2e-05", OpType::kNotEqual, {},
              {{kInt16, {16, 16, 8}, 1e-05f, 0}, {kInt16, {16, 16, 8}, 2e-05f, 0}}, {kBool, {16, 16, 8}, 1, 0},
              0x78062c0b503e80c4u);
  expect_hash("BATCH_MATMUL to 0.05", OpType::kBatchMatmul, BatchMatmulAttr{false, false},
              {{kInt16, {2, 10, 600}, 0.0003f, 0}, {kInt16, {2, 600, 12}, 0.0002f, 0}}, {kInt16, {2, 10, 12}, 0.05f, 0},
              0x1c50447f685eb390u);
  expect_hash("BATCH_MATMUL to 0.0003", OpType::kBatchMatmul, BatchMatmulAttr{true, false},
              {{kInt16, {2, 600, 10}, 0.0003f, 0}, {kInt16, {2, 600, 12}, 0.0002f, 0}},
              {kInt16, {2, 10, 12}, 0.0003f, 0}, 0xe00a99d951c08cd9u);
  expect_hash("BATCH_MATMUL to 1e-05", OpType::kBatchMatmul, BatchMatmulAttr{false, true},
              {{kInt16, {2, 10, 600}, 0.0003f, 0}, {kInt16, {2, 12, 600}, 0.0002f, 0}},
              {kInt16, {2, 10, 12}, 1e-05f, 0}, 0x23a79ffb4cd123cfu);
  expect_hash("DIV of uint8, 0.01 by 0.01", OpType::kDiv, {},
              {{kUInt8, {8, 8, 16}, 0.01f, 100}, {kUInt8, {8, 8, 16}, 0.01f, 90, Range::kNotZero}},
              {kUInt8, {8, 8, 16}, 0.01f, 3}, 0x34fe04dab606ae60u);
  expect_hash("DIV of uint8, 0.02 by 0.5", OpType::kDiv, {},
              {{kUInt8, {8, 8, 16}, 0.02f, 128}, {kUInt8, {8, 8, 16}, 0.5f, 0, Range::kNotZero}},
              {kUInt8, {8, 8, 16}, 0.001f, 128}, 0xd2d18334400e57feu);
  expect_hash("DIV of int8, 0.003 by 0.0007", OpType::kDiv, {},
              {{kInt8, {8, 8, 16}, 0.003f, -3}, {kInt8, {8, 8, 16}, 0.0007f, 4, Range::kNotZero}},
              {kInt8, {8, 8, 16}, 0.05f, -10}, 0x4602ed412d60a3b0u);
  expect_hash("DIV of int16, 0.003 by 0.0007", OpType::kDiv, {},
              {{kInt16, {8, 8, 16}, 0.003f, 0}, {kInt16, {8, 8, 16}, 0.0007f, 0, Range::kNotZero}},
              {kInt16, {8, 8, 16}, 0.05f, 0}, 0xe043070550a5da92u);
  expect_hash("DIV of int16, 0.5 by 0.02", OpType::kDiv, {},
              {{kInt16, {8, 8, 16}, 0.5f, 0}, {kInt16, {8, 8, 16}, 0.02f, 0, Range::kNotZero}},
              {kInt16, {8, 8, 16}, 0.01f, 0}, 0x9529e52fe4553e28u);
  expect_hash("REDUCE_PROD of int8 to 0.5", OpType::kReduceProd, ReduceAttr{{1, 2}, false},
              {{kInt8, {1, 3, 2, 8}, 0.02f, 5}}, {kInt8, {1, 8}, 0.5f, -3}, 0xd4a073a2c68bae41u);
  expect_hash("REDUCE_PROD of int8 to 0.5", OpType::kReduceProd, ReduceAttr{{3}, false},
              {{kInt8, {1, 4, 3, 8}, 0.02f, 5}}, {kInt8, {1, 4, 3}, 0.5f, -3}, 0xe59c2cc2e6f4fd99u);
  expect_hash("REDUCE_PROD of int16 to 3.1e-05", OpType::kReduceProd, ReduceAttr{{1, 2}, false},
              {{kInt16, {1, 3, 2, 8}, 0x1p-15f, 0}}, {kInt16, {1, 8}, 0x1p-15f, 0}, 0xa7676fea3a530b0u);
  expect_hash("REDUCE_PROD of int16 to 3.1e-05", OpType::kReduceProd, ReduceAttr{{3}, false},
              {{kInt16, {1, 4, 3, 8}, 0x1p-15f, 0}}, {kInt16, {1, 4, 3}, 0x1p-15f, 0}, 0x8c1af02861f9a924u);
  expect_hash("REDUCE_PROD of int16 to 0.01", OpType::kReduceProd, ReduceAttr{{1, 2}, false},
              {{kInt16, {1, 3, 2, 8}, 0.0003f, 0}}, {kInt16, {1, 8}, 0.01f, 0}, 0x38712e87a9c3f387u);
  expect_hash("REDUCE_PROD of int16 to 0.01", OpType::kReduceProd, ReduceAttr{{3}, false},
              {{kInt16, {1, 4, 3, 8}, 0.0003f, 0}}, {kInt16, {1, 4, 3}, 0.01f, 0}, 0xc9b61a784d279894u);
}

}  // namespace
}  // namespace sightglass::test
