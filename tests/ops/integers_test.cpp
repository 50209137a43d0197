// Operators on quantized values that have kernels in integers: they match the reference exactly.
#include "ops/op_test.h"

namespace sightglass::test {
namespace {

using IntegersTest = OpTest;

constexpr float kProbability = 1.0f / 32768;

Quantized sixteen_bits(float scale) { return {DataType::kInt16, {scale}, 0}; }
Quantized eight_bits(DataType type, float scale, int64_t zero) { return {type, {scale}, zero}; }

TEST_F(IntegersTest, ResizeOfSixteenBits) {
  uint64_t seed = 1;
  for (const ResizeAttr& attr : {ResizeAttr{11, 9, false, true}, ResizeAttr{11, 9, true, false},
                                 ResizeAttr{3, 2, false, false}, ResizeAttr{1, 1, true, false}}) {
    for (const int channels : kChannels) {
      CaseBuilder resize(seed++);
      const Quantized data = sixteen_bits(0.0003f);
      resize.node(OpType::kResizeBilinear, attr, {resize.input({2, 5, 7, channels}, data)}, data);
      check(resize.build("int16 RESIZE_BILINEAR to " + std::to_string(attr.out_h)), false, kExact);
    }
  }
}

TEST_F(IntegersTest, ResizeOfBytes) {
  uint64_t seed = 100;
  for (const ResizeAttr& attr : {ResizeAttr{20, 15, false, true}, ResizeAttr{40, 37, true, false},
                                 ResizeAttr{20, 15, false, false}, ResizeAttr{1, 1, true, false}}) {
    for (const int64_t zero : {0, 120, 255}) {
      CaseBuilder resize(seed++);
      const Quantized data = eight_bits(DataType::kUInt8, 0.02f, zero);
      resize.node(OpType::kResizeBilinear, attr, {resize.input({2, 9, 7, 5}, data)}, data);
      check(resize.build("uint8 RESIZE_BILINEAR to " + std::to_string(attr.out_h)), false, kExact);
    }
  }
  // Eight layers share their pixels; the last group has fewer.
  CaseBuilder deep(seed);
  const Quantized data = eight_bits(DataType::kUInt8, 0.02f, 7);
  deep.node(OpType::kResizeBilinear, ResizeAttr{64, 66, true, false}, {deep.input({1, 9, 7, 149}, data)}, data);
  check(deep.build("uint8 RESIZE_BILINEAR of many layers"), false, kExact);
}

// From scales that only leave the largest value to those that leave all alike.
TEST_F(IntegersTest, SoftmaxOfSixteenBits) {
  uint64_t seed = 200;
  for (const float scale : {40.0f, 0.01f, 0.0003f, 1e-6f}) {
    for (const int channels : {1, 3, 4, 13, 1000}) {
      CaseBuilder softmax(seed++);
      softmax.node(OpType::kSoftmax, SoftmaxAttr{0.7f}, {softmax.input({2, 3, channels}, sixteen_bits(scale))},
                   sixteen_bits(kProbability));
      check(softmax.build("int16 SOFTMAX of " + std::to_string(channels)), false, kExact);
    }
  }
}

TEST_F(IntegersTest, SumsByShifts) {
  uint64_t seed = 300;
  const std::pair<float, float> scales[] = {
      {0x1p-10f, 0x1p-10f}, {0x1p-13f, 0x1p-10f}, {0x1p-10f, 0x1p-25f}, {0x1p-10f, 0x1p-26f}};
  for (const auto& [a, b] : scales) {
    for (const OpType op : {OpType::kAdd, OpType::kSub}) {
      for (const Shape& shape : {Shape{2, 5, 7, 5}, Shape{5}}) {
        CaseBuilder sum(seed++);
        sum.node(op, SumAttr{true}, {sum.input({2, 5, 7, 5}, sixteen_bits(a)), sum.input(shape, sixteen_bits(b))},
                 sixteen_bits(0x1p-10f), op == OpType::kAdd ? Activation::kNone : Activation::kRelu6);
        check(sum.build(std::string("int16 ") + to_string(op) + " by shifts"), false, kExact);
      }
    }
  }
}

TEST_F(IntegersTest, PreluOfSixteenBitsWithSlopesOfEight) {
  CaseBuilder prelu(400);
  const ValueId slopes = prelu.constant({1, 1, 5}, eight_bits(DataType::kInt8, 0.02f, 3));
  prelu.node(OpType::kPrelu, {}, {prelu.input({2, 5, 7, 5}, sixteen_bits(0.0003f)), slopes}, sixteen_bits(0.0002f));
  check(prelu.build("int16 PRELU"), false, kExact);
}

// With scales of which the steps are less than a 256th, so that different numbers are equal.
TEST_F(IntegersTest, Comparisons) {
  uint64_t seed = 500;
  for (const OpType op : {OpType::kEqual, OpType::kNotEqual, OpType::kLess, OpType::kLessEqual, OpType::kGreater,
                          OpType::kGreaterEqual}) {
    for (const float scale : {0.9f, 0.01f, 0.0001f}) {
      for (const Shape& shape : {Shape{2, 5, 7, 5}, Shape{5}}) {
        CaseBuilder builder(seed++);
        const bool wide = op == OpType::kEqual || op == OpType::kNotEqual;
        const Quantized data = wide ? sixteen_bits(scale / 256) : eight_bits(DataType::kInt8, scale, -5);
        const Quantized other = wide ? sixteen_bits(scale / 512) : eight_bits(DataType::kInt8, scale / 2, 30);
        builder.node(op, {}, {builder.input({2, 5, 7, 5}, data), builder.input(shape, other)});
        check(builder.build(std::string(to_string(op)) + " of integers"), false, kExact);
      }
    }
  }
}

TEST_F(IntegersTest, NormalizationOfEightBits) {
  uint64_t seed = 600;
  for (const DataType type : {DataType::kUInt8, DataType::kInt8}) {
    const int64_t zero = type == DataType::kUInt8 ? 128 : 0;
    for (const int channels : {1, 3, 4, 13, 257}) {
      CaseBuilder normalize(seed++);
      normalize.node(OpType::kL2Normalization, {},
                     {normalize.input({2, 3, 5, channels}, eight_bits(type, 0.02f, zero - 7))},
                     eight_bits(type, 1.0f / 128, zero));
      check(normalize.build("L2_NORMALIZATION of integers"), false, kExact);
    }
  }
}

TEST_F(IntegersTest, Quotients) {
  uint64_t seed = 700;
  for (const DataType type : {DataType::kUInt8, DataType::kInt8, DataType::kInt16}) {
    const int64_t zero = type == DataType::kUInt8 ? 100 : type == DataType::kInt8 ? -3 : 0;
    for (const auto& [divisor, result] : {std::pair{0.01f, 0.05f}, {0.5f, 1e-4f}, {1e-5f, 30.0f}, {0.9f, 2.0f}}) {
      for (const Shape& shape : {Shape{2, 5, 7, 13}, Shape{13}}) {  // some divisors are 0
        CaseBuilder quotient(seed++);
        const ValueId a = quotient.input({2, 5, 7, 13}, eight_bits(type, 0.02f, zero)),
                      b = quotient.input(shape, eight_bits(type, divisor, zero));
        quotient.node(OpType::kDiv, {}, {a, b}, eight_bits(type, result, zero));
        check(quotient.build("DIV of integers"), false, kExact);
      }
    }
  }
}

TEST_F(IntegersTest, ProductsOfMatrices) {
  uint64_t seed = 800;
  for (const float result : {0.05f, 0.0003f, 1e-8f}) {
    for (const auto& [adj_x, adj_y] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
      CaseBuilder product(seed++);
      const Shape x = adj_x ? Shape{2, 301, 5} : Shape{2, 5, 301}, y = adj_y ? Shape{1, 7, 301} : Shape{1, 301, 7};
      product.node(OpType::kBatchMatmul, BatchMatmulAttr{adj_x, adj_y},
                   {product.input(x, sixteen_bits(0.0003f)), product.input(y, sixteen_bits(0.0002f))},
                   sixteen_bits(result));
      check(product.build("int16 BATCH_MATMUL"), false, kExact);
    }
  }
}

TEST_F(IntegersTest, ProductsOfElements) {
  uint64_t seed = 900;
  for (const DataType type : {DataType::kInt8, DataType::kInt16}) {
    for (const std::vector<int32_t>& axes : {std::vector<int32_t>{1, 2}, {3}, {0}, {0, 1, 2, 3}}) {
      CaseBuilder product(seed++);
      const int64_t zero = type == DataType::kInt8 ? 9 : 0;
      product.node(OpType::kReduceProd, ReduceAttr{axes, false},
                   {product.input({2, 2, 3, 5}, eight_bits(type, 0.02f, zero))}, eight_bits(type, 0.03f, zero));
      check(product.build("REDUCE_PROD of integers"), false, kExact);
    }
  }
}

TEST_F(IntegersTest, SquareRoots) {
  uint64_t seed = 1000;
  for (const DataType type : {DataType::kUInt8, DataType::kInt8, DataType::kInt16}) {
    CaseBuilder root(seed++);
    root.node(OpType::kSqrt, {}, {root.input({2, 5, 7, 5}, eight_bits(type, 0.02f, 0))}, eight_bits(type, 0.01f, 0));
    check(root.build("SQRT of integers"), false, kExact);
  }
}

// Filled with a number in the quantization of the result, not with its zero point.
TEST_F(IntegersTest, PaddingWithNumbers) {
  uint64_t seed = 1100;
  for (const DataType type : {DataType::kUInt8, DataType::kInt8, DataType::kInt16}) {
    const Quantized data = eight_bits(type, 0.02f, type == DataType::kInt16 ? 0 : 7);
    CaseBuilder pad(seed++);
    pad.node(OpType::kPad, PadAttr{{0, 1, 2, 1}, {0, 2, 1, 0}, 10}, {pad.input({2, 3, 4, 5}, data)}, data);
    check(pad.build("PADV2 of integers"), false, kExact);
    CaseBuilder long_pad(seed++);
    long_pad.node(OpType::kPad, PadAttr{{1, 0, 1, 2, 0}, {0, 0, 2, 1, 3}, -3}, {long_pad.input({1, 2, 3, 2, 5}, data)},
                  data);
    check(long_pad.build("PADV2 of integers in five dimensions"), false, kExact);
  }
}

}  // namespace
}  // namespace sightglass::test
