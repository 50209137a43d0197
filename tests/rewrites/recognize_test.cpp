#include <gtest/gtest.h>

#include "rewrites/rewrite_case.h"

namespace sightglass::test {
namespace {

constexpr const char* kHardSwish = "recognize-hard-swish";
constexpr const char* kSwish = "recognize-swish";

// Builds x * relu6(x + 3) / 6 and its parts. The constants 3 and 1/6 are set at the end.
class Recognize : public ::testing::Test {
 protected:
  ValueId three() { return threes_.emplace_back(builder_.constant(Shape{})); }
  ValueId sixth() { return sixths_.emplace_back(builder_.constant(Shape{1})); }
  ValueId multiply(ValueId a, ValueId b) { return builder_.node(OpType::kMul, {}, {a, b}); }
  // relu6(x + 3), as one or two nodes, with the operands of the sum in either order.
  ValueId clamped(ValueId x, bool fused = false, bool swapped = false) {
    const ValueId number = three();
    const std::vector<ValueId> operands = swapped ? std::vector{number, x} : std::vector{x, number};
    const ValueId sum = builder_.node(OpType::kAdd, {}, operands, fused ? Activation::kRelu6 : Activation::kNone);
    return fused ? sum : unary(builder_, OpType::kRelu6, sum);
  }
  OpCase finish(const std::string& name) {
    OpCase result = builder_.build(name);
    for (const ValueId id : threes_) set_values(result.graph, id, {3.0f});
    for (const ValueId id : sixths_) set_values(result.graph, id, {sixth_});
    return result;
  }

  CaseBuilder builder_{31};
  std::vector<ValueId> threes_, sixths_;
  float sixth_ = 0.16666667f;
};

// The three ways to group the product, each with its operands in either order and the clamp in one or two nodes.
TEST_F(Recognize, HardSwishInEveryForm) {
  for (int form = 0; form < 3; ++form) {
    for (int variant = 0; variant < 16; ++variant) {
      builder_ = CaseBuilder(32);
      threes_.clear();
      sixths_.clear();
      const bool swap_outer = (variant & 1) != 0;
      const bool swap_inner = (variant & 2) != 0;
      const ValueId x = unary(builder_, OpType::kTanh, builder_.input({1, 3, 3, 8}, Fill::kWide));
      const ValueId wide = builder_.node(OpType::kMul, {}, {x, builder_.constant({1, 1, 8}, Fill::kWide)});
      const ValueId gate = clamped(wide, (variant & 4) != 0, (variant & 8) != 0);
      const ValueId factors[] = {wide, gate, sixth()};
      const ValueId alone = factors[form];
      const ValueId a = factors[(form + 1) % 3];
      const ValueId b = factors[(form + 2) % 3];
      const ValueId inner = swap_inner ? multiply(b, a) : multiply(a, b);
      swap_outer ? multiply(inner, alone) : multiply(alone, inner);
      expect_applied(kHardSwish, finish("form " + std::to_string(form) + ", variant " + std::to_string(variant)),
                     {OpType::kTanh, OpType::kMul, OpType::kHardSwish});
    }
  }
}

TEST_F(Recognize, HardSwishWithARoundedSixth) {
  sixth_ = 0.1666666f;
  const ValueId x = builder_.input({1, 3, 3, 8}, Fill::kWide);
  multiply(multiply(x, clamped(x)), sixth());
  expect_applied(kHardSwish, finish("rounded"), {OpType::kHardSwish});
}

TEST_F(Recognize, HardSwishWithOtherReaders) {
  const ValueId x = builder_.input({1, 3, 3, 8}, Fill::kWide);
  const ValueId gate = clamped(x);
  const ValueId product = multiply(multiply(x, gate), sixth());
  OpCase forked = finish("gate is an output");
  forked.graph.outputs = {product, gate};
  expect_applied(kHardSwish, forked, {OpType::kAdd, OpType::kRelu6, OpType::kHardSwish});
}

TEST_F(Recognize, HardSigmoid) {
  for (const bool fused : {false, true}) {
    builder_ = CaseBuilder(33);
    threes_.clear();
    sixths_.clear();
    const ValueId x = conv(builder_, builder_.input({1, 5, 5, 4}, Fill::kWide));
    multiply(sixth(), clamped(x, fused));
    const Graph after = expect_applied(kHardSwish, finish("hard sigmoid"), {OpType::kConv2d});
    EXPECT_EQ(after.node(after.order()[0]).activation, Activation::kHardSigmoid);
  }
}

TEST_F(Recognize, NotWithAnotherFactor) {
  sixth_ = 0.1668f;
  const ValueId x = builder_.input({1, 3, 3, 8}, Fill::kWide);
  multiply(multiply(x, clamped(x)), sixth());
  expect_not_matched(kHardSwish, finish("0.1668"));
}

TEST_F(Recognize, NotWithTheGateOfAnotherValue) {
  const ValueId x = builder_.input({1, 3, 3, 8}, Fill::kWide);
  const ValueId y = builder_.input({1, 3, 3, 8}, Fill::kWide);
  multiply(multiply(x, clamped(y)), sixth());
  expect_not_matched(kHardSwish, finish("two values"));
}

TEST_F(Recognize, NotWithAnActivationInside) {
  const ValueId x = builder_.input({1, 3, 3, 8}, Fill::kWide);
  const ValueId inner = builder_.node(OpType::kMul, {}, {x, clamped(x)}, Activation::kRelu);
  multiply(inner, sixth());
  expect_not_matched(kHardSwish, finish("activation inside"));
}

TEST_F(Recognize, HardSwishDeclinesAnActivation) {
  const ValueId x = builder_.input({1, 3, 3, 8}, Fill::kWide);
  const ValueId inner = multiply(x, clamped(x));
  builder_.node(OpType::kMul, {}, {inner, sixth()}, Activation::kRelu);
  expect_declined(kHardSwish, finish("activation"), "the product has the activation relu");
}

TEST_F(Recognize, HardSwishDeclinesBroadcasting) {
  const ValueId x = builder_.input({3, 8}, Fill::kWide);
  const ValueId inner = multiply(x, clamped(x));
  const ValueId number = builder_.constant({2, 1, 1});
  builder_.node(OpType::kMul, {}, {inner, number});
  OpCase wider = finish("wider");
  set_values(wider.graph, number, {sixth_, sixth_});
  expect_declined(kHardSwish, wider, "broadcasts the product");
}

TEST_F(Recognize, HardSigmoidDeclinesAnActivation) {
  const ValueId x = conv(builder_, builder_.input({1, 5, 5, 4}));
  builder_.node(OpType::kMul, {}, {clamped(x), sixth()}, Activation::kRelu);
  expect_declined(kHardSwish, finish("activation"), "the product has the activation relu");
}

TEST_F(Recognize, HardSigmoidDeclinesBroadcasting) {
  const ValueId x =
      builder_.node(OpType::kFullyConnected, FullyConnectedAttr{}, {builder_.input({3, 4}), builder_.constant({8, 4})});
  const ValueId number = builder_.constant({2, 1, 1});
  builder_.node(OpType::kMul, {}, {clamped(x), number});
  OpCase wider = finish("wider");
  set_values(wider.graph, number, {sixth_, sixth_});
  expect_declined(kHardSwish, wider, "broadcasts the product");
}

TEST_F(Recognize, HardSigmoidDeclinesAnUnsuitableProducer) {
  multiply(clamped(builder_.input({1, 3, 3, 8})), sixth());
  expect_declined(kHardSwish, finish("input"), "no operator computes its input");
}

TEST_F(Recognize, HardSigmoidDeclinesAnotherReader) {
  const ValueId x = conv(builder_, builder_.input({1, 5, 5, 4}));
  const ValueId gate = multiply(clamped(x), sixth());
  builder_.node(OpType::kMaximum, {}, {gate, x});
  expect_declined(kHardSwish, finish("another reader"), "is read by others as well");
}

TEST_F(Recognize, HardSigmoidDeclinesAReaderOfItsParts) {
  const ValueId x = conv(builder_, builder_.input({1, 5, 5, 4}));
  const ValueId part = clamped(x);
  builder_.node(OpType::kMaximum, {}, {multiply(part, sixth()), part});
  expect_declined(kHardSwish, finish("reader of parts"), "is read by others as well");
}

TEST_F(Recognize, Swish) {
  for (const bool swapped : {false, true}) {
    builder_ = CaseBuilder(34);
    const ValueId x = conv(builder_, builder_.input({1, 5, 5, 4}, Fill::kWide));
    const ValueId gate = unary(builder_, OpType::kLogistic, x);
    swapped ? multiply(gate, x) : multiply(x, gate);
    const Graph after = expect_applied(kSwish, finish("swish"), {OpType::kConv2d});
    EXPECT_EQ(after.node(after.order()[0]).activation, Activation::kSwish);
  }
}

TEST_F(Recognize, SwishDeclinesAnActivation) {
  const ValueId x = conv(builder_, builder_.input({1, 5, 5, 4}));
  builder_.node(OpType::kMul, {}, {x, unary(builder_, OpType::kLogistic, x)}, Activation::kRelu);
  expect_declined(kSwish, finish("activation"), "has an activation");
}

TEST_F(Recognize, SwishDeclinesAnotherReaderOfTheGate) {
  const ValueId x = conv(builder_, builder_.input({1, 5, 5, 4}));
  const ValueId gate = unary(builder_, OpType::kLogistic, x);
  builder_.node(OpType::kMaximum, {}, {multiply(x, gate), gate});
  expect_declined(kSwish, finish("gate"), "is read by others as well");
}

TEST_F(Recognize, SwishDeclinesAnotherReaderOfTheValue) {
  const ValueId x = conv(builder_, builder_.input({1, 5, 5, 4}));
  builder_.node(OpType::kMaximum, {}, {multiply(x, unary(builder_, OpType::kLogistic, x)), x});
  expect_declined(kSwish, finish("value"), "is read by others as well");
}

TEST_F(Recognize, SwishDeclinesAnInput) {
  const ValueId x = builder_.input({1, 5, 5, 4});
  multiply(x, unary(builder_, OpType::kLogistic, x));
  expect_declined(kSwish, finish("input"), "no operator computes its input");
}

TEST_F(Recognize, SwishIsNotAGateOfAnotherValue) {
  const ValueId x = conv(builder_, builder_.input({1, 5, 5, 4}));
  const ValueId y = conv(builder_, builder_.input({1, 5, 5, 4}));
  multiply(x, unary(builder_, OpType::kLogistic, y));
  expect_not_matched(kSwish, finish("two values"));
}

constexpr const char* kTabulate = "tabulate-function";
constexpr const char* kFuseTable = "fuse-table";

struct Bytes {
  const char* name;
  Quantized data, between, result;
};
// Zero points at both ends of their type, and within it.
const Bytes kBytes[] = {
    {"int8", {DataType::kInt8, {0.05f}, -7}, {DataType::kInt8, {1.0f / 256}, -128}, {DataType::kInt8, {0.04f}, 127}},
    {"uint8", {DataType::kUInt8, {0.05f}, 128}, {DataType::kUInt8, {1.0f / 256}, 0}, {DataType::kUInt8, {0.03f}, 255}},
    {"uint8 from 0",
     {DataType::kUInt8, {0.05f}, 0},
     {DataType::kUInt8, {0.02f}, 255},
     {DataType::kUInt8, {0.03f}, 12}}};

ValueId swish(CaseBuilder& builder, ValueId data, const Bytes& bytes) {
  const ValueId gate = builder.node(OpType::kLogistic, {}, {data}, bytes.between);
  return builder.node(OpType::kMul, {}, {data, gate}, bytes.result);
}

ValueId integer_conv(CaseBuilder& builder, const Bytes& bytes, Activation activation = Activation::kNone) {
  const Quantized weights{bytes.data.type, {0.01f}, bytes.data.type == DataType::kUInt8 ? 120 : 0, 0};
  return builder.node(
      OpType::kConv2d, Conv2dAttr{},
      {builder.input({1, 6, 7, 4}, bytes.data), builder.constant({9, 3, 3, 4}, weights), builder.bias(9)}, bytes.data,
      activation);
}

// Every stored integer in turn.
void count_up(HostTensor& tensor) {
  for (size_t i = 0; i < tensor.data.size(); ++i) tensor.data[i] = static_cast<std::byte>(i);
}

TEST(TabulateFunction, OfAllIntegers) {
  for (const Bytes& bytes : kBytes) {
    CaseBuilder builder(81);
    swish(builder, builder.input({2, 256}, bytes.data), bytes);
    OpCase op = builder.build(std::string("swish of ") + bytes.name);
    count_up(op.inputs[0]);
    expect_applied(kTabulate, op, {OpType::kLookup});
  }
}

TEST(TabulateFunction, WithConstantsOfOneElement) {
  for (const Bytes& bytes : kBytes) {
    CaseBuilder builder(82);
    const ValueId data = builder.input({1, 4, 64, 3}, bytes.data);
    const ValueId three = builder.constant({}, bytes.data), sixth = builder.constant({1, 1, 1, 1}, bytes.data);
    const ValueId sum = builder.node(OpType::kAdd, {}, {data, three}, bytes.data);
    const ValueId product = builder.node(OpType::kMul, {}, {sum, data}, bytes.data);
    const ValueId hard_swish = builder.node(OpType::kMul, {}, {product, sixth}, bytes.data);
    builder.node(OpType::kQuantize, {}, {hard_swish}, bytes.result);
    OpCase op = builder.build(std::string("hard swish of ") + bytes.name);
    count_up(op.inputs[0]);
    expect_applied(kTabulate, op, {OpType::kLookup});
  }
}

TEST(TabulateFunction, LeavesFunctionsOfOtherTensors) {
  CaseBuilder two(83), channels(84), broad(85), wide(86);
  const Bytes& bytes = kBytes[0];
  const ValueId gate = two.node(OpType::kLogistic, {}, {two.input({1, 4, 4, 3}, bytes.data)}, bytes.between);
  two.node(OpType::kMul, {}, {two.input({1, 4, 4, 3}, bytes.data), gate}, bytes.result);
  expect_not_matched(kTabulate, two.build("two tensors"));
  const ValueId sum = channels.node(
      OpType::kAdd, {}, {channels.input({1, 4, 4, 3}, bytes.data), channels.constant({3}, bytes.data)}, bytes.between);
  channels.node(OpType::kLogistic, {}, {sum}, bytes.result);
  expect_not_matched(kTabulate, channels.build("a constant for each channel"));
  const ValueId row = broad.input({1, 1, 4, 3}, bytes.data);
  const ValueId logistic = broad.node(OpType::kLogistic, {}, {row}, bytes.between);
  broad.node(OpType::kMul, {}, {logistic, broad.input({1, 4, 4, 3}, bytes.data)}, bytes.result);
  expect_not_matched(kTabulate, broad.build("broadcasting"));
  const Quantized words{DataType::kInt16, {0.001f}, 0};
  const ValueId x = wide.input({1, 4, 4, 3}, words);
  wide.node(OpType::kMul, {}, {x, wide.node(OpType::kTanh, {}, {x}, words)}, words);
  expect_not_matched(kTabulate, wide.build("16 bits"));
}

TEST(TabulateFunction, LeavesResultsThatOthersRead) {
  CaseBuilder builder(87);
  const Bytes& bytes = kBytes[0];
  const ValueId data = builder.input({1, 4, 4, 3}, bytes.data);
  const ValueId gate = builder.node(OpType::kLogistic, {}, {data}, bytes.between);
  const ValueId product = builder.node(OpType::kMul, {}, {data, gate}, bytes.result);
  OpCase op = builder.build("forked");
  op.graph.outputs = {gate, product};
  expect_not_matched(kTabulate, op);
}

TEST(TabulateFunction, OfFloatsBetweenIntegers) {
  for (const Bytes& bytes : kBytes) {
    CaseBuilder builder(98);
    const ValueId floats = unary(builder, OpType::kDequantize, builder.input({2, 256}, bytes.data));
    builder.node(OpType::kQuantize, {}, {unary(builder, OpType::kLogistic, floats)}, bytes.between);
    OpCase op = builder.build(std::string("floats between ") + bytes.name);
    count_up(op.inputs[0]);
    expect_applied(kTabulate, op, {OpType::kLookup});
  }
}

TEST(TabulateFunction, RemovesOneThatChangesNothing) {
  for (const Quantized& other : {kBytes[0].data, kBytes[0].result}) {
    CaseBuilder builder(99);
    const Quantized& data = kBytes[0].data;
    const ValueId floats = unary(builder, OpType::kDequantize, builder.input({2, 256}, data));
    const ValueId again = builder.node(OpType::kQuantize, {}, {floats}, other);
    builder.node(OpType::kMaxPool2d, Pool2dAttr{},
                 {builder.node(OpType::kReshape, ReshapeAttr{{1, 2, 256, 1}}, {again}, other)}, other);
    const bool same = &other == &kBytes[0].data || (other.scale == data.scale && other.zero_point == data.zero_point);
    expect_applied(kTabulate, builder.build(same ? "the same" : "another quantization"),
                   same ? std::vector{OpType::kReshape, OpType::kMaxPool2d}
                        : std::vector{OpType::kLookup, OpType::kReshape, OpType::kMaxPool2d});
  }
}

constexpr const char* kQuantizeFirst = "quantize-before-moving";

TEST(QuantizeBeforeMoving, ThroughTwoMovements) {
  CaseBuilder builder(100);
  const Bytes& bytes = kBytes[0];
  const ValueId floats = unary(builder, OpType::kDequantize, builder.input({1, 6, 7, 4}, bytes.data));
  const ValueId larger = builder.node(OpType::kResizeNearest, ResizeAttr{12, 14}, {floats});
  const ValueId padded = builder.node(OpType::kMirrorPad, MirrorPadAttr{{0, 1, 2, 0}, {0, 2, 1, 0}}, {larger});
  builder.node(OpType::kQuantize, {}, {padded}, bytes.result);
  expect_applied(kQuantizeFirst, builder.build("two movements"),
                 {OpType::kDequantize, OpType::kQuantize, OpType::kResizeNearest, OpType::kMirrorPad});
}

TEST(QuantizeBeforeMoving, LeavesOtherFloats) {
  CaseBuilder plain(101), shared(102);
  const Bytes& bytes = kBytes[0];
  const MirrorPadAttr pad{{0, 1, 2, 0}, {0, 2, 1, 0}};
  plain.node(OpType::kQuantize, {}, {plain.node(OpType::kMirrorPad, pad, {plain.input({1, 6, 7, 4})})}, bytes.result);
  expect_not_matched(kQuantizeFirst, plain.build("an input"));
  const ValueId floats = unary(shared, OpType::kDequantize, shared.input({1, 6, 7, 4}, bytes.data));
  const ValueId padded = shared.node(OpType::kMirrorPad, pad, {floats});
  const ValueId quantized = shared.node(OpType::kQuantize, {}, {padded}, bytes.result);
  OpCase op = shared.build("shared");
  op.graph.outputs = {padded, quantized};
  expect_declined(kQuantizeFirst, op, "read by others");
}

TEST(FuseTable, IntoAConvolution) {
  for (const Bytes& bytes : kBytes) {
    CaseBuilder builder(88);
    const ValueId sums = integer_conv(builder, bytes, Activation::kRelu);
    builder.node(OpType::kHardSwish, {}, {sums}, bytes.result);
    const Graph after =
        expect_applied(kFuseTable, builder.build(std::string("conv of ") + bytes.name), {OpType::kConv2d});
    EXPECT_EQ(after.node(after.order()[0]).table.size(), 256u);
  }
}

TEST(FuseTable, LeavesASecondFunction) {
  CaseBuilder builder(89);
  const Bytes& bytes = kBytes[0];
  const ValueId tanh = builder.node(OpType::kTanh, {}, {integer_conv(builder, bytes)}, bytes.data);
  builder.node(OpType::kLogistic, {}, {tanh}, bytes.between);
  expect_applied(kFuseTable, builder.build("two"), {OpType::kConv2d, OpType::kLogistic});
}

TEST(FuseTable, DeclinesSumsThatOthersRead) {
  CaseBuilder builder(90);
  const Bytes& bytes = kBytes[0];
  swish(builder, integer_conv(builder, bytes), bytes);
  expect_not_matched(kFuseTable, [&] {
    CaseBuilder plain(91);
    conv(plain, plain.input({1, 6, 7, 4}));
    return plain.build("floats");
  }());
  expect_declined(kFuseTable, builder.build("before tabulate-function"), "read by others");
}

constexpr const char* kResidual = "fuse-residual";

TEST(ResidualOfIntegers, IntoAConvolution) {
  for (const Bytes& bytes : kBytes) {
    const Quantized total{bytes.data.type, {0.1f}, bytes.result.zero_point};
    for (const Activation activation : {Activation::kNone, Activation::kRelu}) {
      CaseBuilder before(92), after(93);
      const ValueId sums = integer_conv(before, bytes, activation);
      before.node(OpType::kAdd, SumAttr{}, {before.input({1, 4, 5, 9}, bytes.result), sums}, total);
      const Graph last =
          expect_applied(kResidual, before.build(std::string("activation before, ") + bytes.name), {OpType::kConv2d});
      EXPECT_EQ(last.node(last.order()[0]).residual_last, activation != Activation::kNone);
      const ValueId others = integer_conv(after, bytes);
      after.node(OpType::kAdd, SumAttr{}, {others, after.input({1, 4, 5, 9}, bytes.data)},
                 Quantized{bytes.data.type, {0.1f}, bytes.data.zero_point}, activation);
      expect_applied(kResidual, after.build(std::string("activation after, ") + bytes.name), {OpType::kConv2d});
    }
  }
}

TEST(ResidualOfIntegers, Declines) {
  const Bytes& bytes = kBytes[0];
  const auto add = [&](CaseBuilder& builder, ValueId sums, const Shape& shape) {
    builder.node(OpType::kAdd, SumAttr{}, {sums, builder.input(shape, bytes.data)}, bytes.result);
  };
  CaseBuilder broad(94), wide(95), groups(96), formless(97);
  formless.node(OpType::kAdd, SumAttr{}, {integer_conv(formless, bytes), formless.input({1, 4, 5, 9}, bytes.result)},
                bytes.result);
  expect_declined(kResidual, formless.build("ties"), "have no form");
  add(broad, integer_conv(broad, bytes), {1, 1, 1, 9});
  expect_declined(kResidual, broad.build("one pixel"), "the shapes differ");
  const Quantized words{DataType::kInt16, {0.001f}, 0}, weights{DataType::kInt8, {0.01f}, 0, 0};
  const ValueId sums = wide.node(OpType::kConv2d, Conv2dAttr{},
                                 {wide.input({1, 6, 7, 4}, words), wide.constant({9, 3, 3, 4}, weights)}, words);
  wide.node(OpType::kAdd, SumAttr{}, {sums, wide.input({1, 4, 5, 9}, words)}, words);
  expect_declined(kResidual, wide.build("16 bits"), "does not sum integers of 8 bits");
  const ValueId grouped =
      groups.node(OpType::kConv2d, Conv2dAttr{},
                  {groups.input({1, 6, 7, 8}, bytes.data), groups.constant({8, 3, 3, 4}, weights)}, bytes.data);
  add(groups, grouped, {1, 4, 5, 8});
  expect_declined(kResidual, groups.build("groups"), "in groups");
}

}  // namespace
}  // namespace sightglass::test
