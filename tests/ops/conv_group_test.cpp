// Grouped convolutions, and convolutions with computed weights or biases.
#include "ops/op_test.h"

namespace sightglass::test {
namespace {

using ConvGroupTest = OpTest;

// The source of the operands.
enum class From { kConstant, kInput, kNowhere };

ValueId operand(CaseBuilder& builder, From from, const Shape& shape) {
  if (from == From::kNowhere) return kNone;
  return from == From::kInput ? builder.input(shape) : builder.constant(shape);
}

Conv2dAttr attributes(uint64_t seed) {
  const int stride = seed % 3 == 0 ? 2 : 1;
  Conv2dAttr attr{{seed % 2 == 0 ? PaddingMode::kSame : PaddingMode::kValid}, stride, stride, 1, 1};
  if (stride == 1) attr.dilation_h = seed % 5 == 0 ? 2 : 1;
  return attr;
}

struct Groups {
  int groups, depth, filters;  // channels and filters per group
};

TEST_F(ConvGroupTest, Grouped) {
  uint64_t seed = 1;
  for (const Groups& g : {Groups{2, 1, 1},
                          {3, 1, 2},
                          {2, 2, 3},
                          {2, 3, 2},
                          {4, 3, 1},
                          {3, 5, 7},
                          {2, 4, 4},
                          {4, 4, 3},
                          {2, 8, 8},
                          {2, 13, 5},
                          {13, 1, 1},
                          {1, 5, 4}}) {
    for (const From weights : {From::kConstant, From::kInput}) {
      for (const int kernel : {1, 3}) {
        CaseBuilder builder(++seed);
        const int in = g.groups * g.depth, out = g.groups * g.filters;
        const ValueId data = builder.input({2, 7, 9, in});
        const ValueId filters = operand(builder, weights, {out, kernel, kernel, g.depth});
        const Activation activation = seed % 4 == 1 ? Activation::kPrelu : Activation::kNone;
        std::vector<ValueId> inputs{data, filters, operand(builder, From::kConstant, {out})};
        if (activation == Activation::kPrelu) inputs.push_back(builder.constant({out}));
        builder.node(OpType::kConv2d, attributes(seed), inputs, activation);
        check(builder.build(std::to_string(g.groups) + " groups " + std::to_string(in) + "→" + std::to_string(out) +
                            " k" + std::to_string(kernel) + (weights == From::kInput ? " computed" : "")));
      }
    }
  }
}

TEST_F(ConvGroupTest, MoreThanOneWorkGroup) {
  CaseBuilder builder(50);
  const ValueId data = builder.input({1, 33, 35, 12});
  builder.node(OpType::kConv2d, attributes(0), {data, builder.constant({18, 3, 3, 6}), builder.constant({18})},
               Activation::kRelu6);
  check(builder.build("grouped 33x35"));
}

TEST_F(ConvGroupTest, ComputedOperands) {
  uint64_t seed = 100;
  for (const int channels : {1, 3, 4, 5, 13, 16}) {
    for (const From weights : {From::kConstant, From::kInput}) {
      for (const From bias : {From::kConstant, From::kInput, From::kNowhere}) {
        if (weights == From::kConstant && bias != From::kInput) continue;
        CaseBuilder conv(++seed);
        const int out = channels == 4 ? 9 : 6;
        const ValueId data = conv.input({2, 5, 6, channels});
        const ValueId filters = operand(conv, weights, {out, 3, 2, channels});
        conv.node(OpType::kConv2d, attributes(seed), {data, filters, operand(conv, bias, {out})}, Activation::kTanh);
        check(conv.build("computed conv2d C" + std::to_string(channels)));

        CaseBuilder depthwise(++seed);
        const int multiplier = channels == 3 ? 2 : 1;
        const Conv2dAttr attr = attributes(seed);
        const ValueId picture = depthwise.input({2, 11, 13, channels});
        const ValueId taps = operand(depthwise, weights, {1, 3, 2, channels * multiplier});
        depthwise.node(OpType::kDepthwiseConv2d,
                       DepthwiseConv2dAttr{attr.padding, attr.stride_h, attr.stride_w, 1, 1, multiplier},
                       {picture, taps, operand(depthwise, bias, {channels * multiplier})}, Activation::kRelu);
        check(depthwise.build("computed depthwise C" + std::to_string(channels)));
      }
    }
  }
}

TEST_F(ConvGroupTest, Quantized) {
  const Quantized data{DataType::kInt8, {0.0391f}, -7}, result{DataType::kInt8, {0.47f}, 11};
  const Quantized one_scale{DataType::kInt8, {0.006f}, 0};
  uint64_t seed = 200;
  for (const Groups& g : {Groups{2, 3, 3}, {4, 4, 2}, {1, 5, 6}}) {
    const int in = g.groups * g.depth, out = g.groups * g.filters;
    std::vector<float> scales;
    for (int o = 0; o < out; ++o) scales.push_back(0.004f + 0.001f * static_cast<float>(o % 5));
    for (const bool computed : {false, true}) {
      if (!computed && g.groups == 1) continue;
      for (const Activation activation : {Activation::kRelu, Activation::kTanh}) {
        CaseBuilder builder(++seed);
        const ValueId picture = builder.input({2, 5, 6, in}, data);
        const Shape shape{out, 3, 3, g.depth};
        const ValueId filters = computed ? builder.input(shape, one_scale)
                                         : builder.constant(shape, Quantized{DataType::kInt8, scales, 0, 0});
        builder.node(OpType::kConv2d, attributes(seed), {picture, filters, builder.bias(out)},
                     activation == Activation::kTanh ? Quantized{DataType::kInt8, {0.0078f}, 0} : result, activation);
        check(builder.build("int8 groups of " + std::to_string(g.depth) + (computed ? " computed " : " ") +
                            to_string(activation)),
              false, activation == Activation::kTanh ? 1e-4 : 0);
      }
    }
  }
}

}  // namespace
}  // namespace sightglass::test
