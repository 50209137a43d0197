// CONV_2D, FULLY_CONNECTED, DEPTHWISE_CONV_2D, TRANSPOSE_CONV; grouped convolutions, and convolutions with computed
// weights or biases.
#include "ops/op_test.h"

namespace sightglass::test {
namespace {

constexpr std::initializer_list<Activation> kActivations = {
    Activation::kNone,  Activation::kRelu,     Activation::kRelu6,     Activation::kReluN1To1,
    Activation::kTanh,  Activation::kLogistic, Activation::kHardSwish, Activation::kHardSigmoid,
    Activation::kSwish, Activation::kPrelu};

Padding2d random_padding(Random& random) {
  switch (random.pick(0, 2)) {
    case 0:
      return {PaddingMode::kSame};
    case 1:
      return {PaddingMode::kValid};
    default:
      return {PaddingMode::kExplicit, random.pick(0, 3), random.pick(0, 3), random.pick(0, 3), random.pick(0, 3)};
  }
}

// After data and weights: the bias (or none) and, for PRELU, the slope.
std::vector<ValueId> conv_inputs(CaseBuilder& builder, ValueId data, ValueId weights, int channels, bool bias,
                                 Activation activation) {
  std::vector<ValueId> inputs{data, weights, bias ? builder.constant({channels}) : kNone};
  if (activation == Activation::kPrelu) inputs.push_back(builder.constant({channels}));
  return inputs;
}

struct ConvParameters {
  int batch = 1, height = 9, width = 7, in = 3, out = 4, kernel_h = 3, kernel_w = 3;
  Conv2dAttr attr;
  Activation activation = Activation::kNone;
  bool bias = true, residual = false, pixel_residual = false, gate = false, addend = false;
  int residual_channels = 0;  // the first ones of the output
  Fill data = Fill::kUniform, weights = Fill::kUniform;

  std::string name(const char* op) const {
    return std::string(op) + " " + std::to_string(batch) + "x" + std::to_string(height) + "x" + std::to_string(width) +
           "x" + std::to_string(in) + "→" + std::to_string(out) + " k" + std::to_string(kernel_h) + "x" +
           std::to_string(kernel_w) + " s" + std::to_string(attr.stride_h) + "x" + std::to_string(attr.stride_w) +
           " d" + std::to_string(attr.dilation_h) + "x" + std::to_string(attr.dilation_w) + " p" +
           std::to_string(static_cast<int>(attr.padding.mode)) + " " + to_string(activation);
  }
};

OpCase conv_case(const ConvParameters& p, uint64_t seed) {
  CaseBuilder builder(seed);
  const ValueId data = builder.input({p.batch, p.height, p.width, p.in}, p.data);
  const ValueId weights = builder.constant({p.out, p.kernel_h, p.kernel_w, p.in}, p.weights);
  std::vector<ValueId> inputs = conv_inputs(builder, data, weights, p.out, p.bias, p.activation);
  if (p.residual) {
    const ValueId out = builder.node(OpType::kConv2d, p.attr, inputs, p.activation);
    inputs.resize(kResidualInput, kNone);
    inputs.push_back(out);
  }
  if (p.pixel_residual) {
    inputs.resize(kResidualInput, kNone);
    inputs.push_back(builder.input({p.batch, 1, 1, p.out}));
  }
  if (p.residual_channels > 0) {
    inputs.resize(kResidualInput, kNone);
    inputs.push_back(builder.input({p.batch, p.height, p.width, p.residual_channels}));
  }
  if (p.gate) {
    inputs.resize(std::max(inputs.size(), kGateInput), kNone);
    inputs.push_back(builder.input({p.batch, 1, 1, p.in}));
  }
  if (p.addend) {
    inputs.resize(std::max(inputs.size(), kAddendInput), kNone);
    inputs.push_back(builder.input({p.batch, p.height, p.width, p.in}, p.data));
  }
  builder.node(OpType::kConv2d, p.attr, inputs, p.activation);
  return builder.build(p.name("conv2d") + (p.residual ? " residual" : "") +
                       (p.pixel_residual ? " residual of one pixel" : "") +
                       (p.residual_channels > 0 ? " residual of some channels" : "") + (p.gate ? " gate" : "") +
                       (p.addend ? " addend" : ""));
}

using ConvTest = OpTest;

TEST_F(ConvTest, EveryChannelCount) {
  uint64_t seed = 1;
  for (const int in : kChannels) {
    for (const int out : kChannels) {
      for (const int kernel : {1, 3}) {
        ConvParameters p;
        p.in = in;
        p.out = out;
        p.kernel_h = p.kernel_w = kernel;
        p.attr.padding.mode = PaddingMode::kSame;
        check(conv_case(p, seed++));
      }
    }
  }
}

TEST_F(ConvTest, EveryActivation) {
  uint64_t seed = 100;
  for (const Activation activation : kActivations) {
    for (const bool bias : {false, true}) {
      ConvParameters p;
      p.out = 13;
      p.activation = activation;
      p.bias = bias;
      p.data = Fill::kWide;
      check(conv_case(p, seed++));
    }
  }
}

TEST_F(ConvTest, RandomGeometry) {
  Random random(2);
  int made = 0;
  for (uint64_t seed = 0; made < 120; ++seed) {
    ConvParameters p;
    p.batch = random.pick(1, 2);
    p.height = random.of({1, 2, 5, 16, 33});
    p.width = random.of({1, 3, 8, 17, 66});
    p.in = random.of({1, 3, 4, 5, 13, 16, 32});
    p.out = random.of({1, 3, 4, 5, 13, 16, 40});
    p.kernel_h = random.of({1, 2, 3, 5, 7});
    p.kernel_w = random.of({1, 2, 3, 5, 9});
    p.attr = {random_padding(random), random.pick(1, 3), random.pick(1, 3), random.pick(1, 3), random.pick(1, 3)};
    p.activation = random.of(kActivations);
    const int reach_h = (p.kernel_h - 1) * p.attr.dilation_h + 1, reach_w = (p.kernel_w - 1) * p.attr.dilation_w + 1;
    const Padding2d& pad = p.attr.padding;
    if (pad.mode != PaddingMode::kSame &&
        (p.height + pad.top + pad.bottom < reach_h || p.width + pad.left + pad.right < reach_w)) {
      continue;  // no output at all
    }
    ++made;
    check(conv_case(p, seed));
  }
}

TEST_F(ConvTest, RegisterTiles) {
  // Enough pixels and slices for every tile of the kernel, with remainders in both.
  uint64_t seed = 300;
  for (const int out : {4, 8, 12, 13, 20, 64}) {
    for (const int kernel : {1, 3}) {
      ConvParameters p;
      p.height = 67;
      p.width = 71;
      p.in = 8;
      p.out = out;
      p.kernel_h = p.kernel_w = kernel;
      p.attr.padding.mode = PaddingMode::kSame;
      check(conv_case(p, seed++));
    }
  }
}

// Its channels fill no slice, and its images no work group.
ConvParameters ragged_conv(int32_t height, int32_t width, int32_t kernel) {
  ConvParameters p;
  p.batch = height == 9 ? 2 : 1;
  p.height = height;
  p.width = width;
  p.in = 5;
  p.out = 13;
  p.kernel_h = p.kernel_w = kernel;
  p.attr.padding.mode = PaddingMode::kSame;
  return p;
}

// The other summand is the output of another convolution of the same shape. Activations follow the addition, whatever
// the operands, so one of each kind is sufficient. Every program is compiled, so each operand meets each activation in
// one size.
TEST_F(ConvTest, ResidualAndGate) {
  constexpr Activation kKinds[] = {Activation::kNone, Activation::kRelu6, Activation::kPrelu};
  struct Operands {
    bool residual, gate, pixel_residual;
  };
  constexpr Operands kOperands[] = {
      {true, false, false}, {true, true, false}, {false, true, false}, {false, true, true}};
  uint64_t seed = 350;
  for (const int kernel : {1, 3}) {
    size_t kind = 0;
    for (const auto& [height, width] : {std::pair{1, 1}, {9, 7}, {67, 71}}) {
      for (const Operands& operands : kOperands) {
        ConvParameters p = ragged_conv(height, width, kernel);
        p.attr.stride_h = p.attr.stride_w = kernel == 3 ? 2 : 1;
        // Four operands, three kinds: at the next size each operand meets the next kind.
        p.activation = kKinds[kind++ % std::size(kKinds)];
        p.residual = operands.residual;
        p.gate = operands.gate;
        p.pixel_residual = operands.pixel_residual;
        check(conv_case(p, seed++));
      }
    }
  }
}

// After the activation: of the output shape, of the first channels, and of one pixel.
TEST_F(ConvTest, ResidualAfterTheActivation) {
  constexpr Activation kKinds[] = {Activation::kRelu6, Activation::kPrelu, Activation::kHardSwish};
  uint64_t seed = 1300;
  size_t kind = 0;
  for (const int kernel : {1, 3}) {
    for (const auto& [height, width] : {std::pair{1, 1}, {9, 7}, {67, 71}}) {
      for (const int residual : {0, 1, 2}) {
        ConvParameters p = ragged_conv(height, width, kernel);
        p.activation = kKinds[kind++ % std::size(kKinds)];
        p.gate = residual == 2;
        p.residual = residual == 0;
        p.residual_channels = residual == 1 ? 5 : 0;
        p.pixel_residual = residual == 2;
        check(with_residual_last(conv_case(p, seed++)));
      }
    }
  }
}

// Images and channels for every register tile, with remainders, and one output channel. Each operand meets each
// activation in one size.
TEST_F(ConvTest, Addend) {
  constexpr Activation kKinds[] = {Activation::kNone, Activation::kRelu6, Activation::kPrelu};
  uint64_t seed = 1350;
  size_t kind = 0;
  for (const bool gate : {false, true}) {
    for (const auto& [height, width] : {std::pair{1, 1}, {9, 7}, {67, 71}, {131, 140}}) {
      for (const int out : {1, 4, 13, 20}) {
        ConvParameters p = ragged_conv(height, width, 1);
        p.out = out;
        p.activation = kKinds[kind++ % std::size(kKinds)];
        p.gate = gate;
        p.addend = true;
        check(conv_case(p, seed++));
      }
    }
  }
  for (const Fill data : {Fill::kZero, Fill::kTiny, Fill::kOneHot, Fill::kWide}) {
    ConvParameters p = ragged_conv(33, 35, 1);
    p.data = data;
    p.gate = p.addend = true;
    check(conv_case(p, seed++));
  }
}

TEST_F(ConvTest, ResidualOfTheFirstChannels) {
  uint64_t seed = 380;
  for (const int kernel : {1, 3}) {
    for (const auto& [height, width] : {std::pair{1, 1}, {9, 7}, {67, 71}}) {
      for (const int channels : {1, 4, 5, 8, 12}) {
        ConvParameters p = ragged_conv(height, width, kernel);
        p.residual_channels = channels;
        p.gate = channels == 5;
        check(conv_case(p, seed++));
      }
    }
  }
}

TEST_F(ConvTest, AdversarialValues) {
  uint64_t seed = 400;
  for (const Fill data : {Fill::kZero, Fill::kLarge, Fill::kTiny, Fill::kOneHot, Fill::kRamp, Fill::kPositive}) {
    // Stored in 32 bits, in 8, in 32 and in 16.
    for (const Fill weights : {Fill::kUniform, Fill::kOneHot, Fill::kLarge, Fill::kRamp}) {
      ConvParameters p;
      p.data = data;
      p.weights = weights;
      p.in = 5;
      p.out = 13;
      check(conv_case(p, seed++));
    }
  }
}

TEST_F(ConvTest, FullyConnected) {
  uint64_t seed = 500;
  const Shape inputs[] = {{1, 7}, {1, 64}, {3, 5}, {1, 1, 1, 16}, {1, 3, 5, 4}, {1, 2, 2, 13}, {2, 3, 3, 5}, {4, 6, 8}};
  for (const Shape& shape : inputs) {
    for (const int out : {1, 4, 13, 130}) {
      for (const bool keep : {false, true}) {
        const int last = shape.dim(shape.rank() - 1);
        // Over the last dimension, or (for a flattened image) over all dimensions except the first.
        const int64_t flat = shape.elements() / shape.dim(0);
        CaseBuilder builder(seed++);
        const ValueId data = builder.input(shape);
        const bool whole = !keep && shape.rank() == 4;
        const int depth = whole ? static_cast<int>(flat) : last;
        const ValueId weights = builder.constant({out, depth});
        builder.node(OpType::kFullyConnected, FullyConnectedAttr{keep},
                     conv_inputs(builder, data, weights, out, true, Activation::kRelu), Activation::kRelu);
        check(builder.build("fully connected " + shape.to_string() + "→" + std::to_string(out) +
                            (keep ? " keeping dimensions" : "")));
      }
    }
  }
}

OpCase depthwise_case(const ConvParameters& p, int multiplier, uint64_t seed) {
  CaseBuilder builder(seed);
  const int out = p.in * multiplier;
  const ValueId data = builder.input({p.batch, p.height, p.width, p.in}, p.data);
  const ValueId weights = builder.constant({1, p.kernel_h, p.kernel_w, out});
  const DepthwiseConv2dAttr attr{p.attr.padding,    p.attr.stride_h,   p.attr.stride_w,
                                 p.attr.dilation_h, p.attr.dilation_w, multiplier};
  std::vector<ValueId> inputs = conv_inputs(builder, data, weights, out, p.bias, p.activation);
  if (p.residual || p.pixel_residual || p.residual_channels > 0) {
    inputs.resize(kResidualInput, kNone);
    inputs.push_back(p.residual         ? builder.node(OpType::kDepthwiseConv2d, attr, inputs, p.activation)
                     : p.pixel_residual ? builder.input({p.batch, 1, 1, out})
                                        : builder.input({p.batch, p.height, p.width, p.residual_channels}));
  }
  builder.node(OpType::kDepthwiseConv2d, attr, inputs, p.activation);
  return builder.build(p.name("depthwise") + " x" + std::to_string(multiplier) + (p.residual ? " residual" : ""));
}

// Before and after the activation, in every kernel and tile: of the output shape, of one pixel, of some channels.
TEST_F(ConvTest, DepthwiseResidual) {
  constexpr Activation kKinds[] = {Activation::kRelu6, Activation::kNone, Activation::kPrelu};
  uint64_t seed = 1500;
  size_t kind = 0;
  for (const bool last : {false, true}) {
    for (const auto& [height, width] : {std::pair{1, 1}, {9, 7}, {67, 71}, {128, 130}}) {
      for (const int kernel : {2, 3, 5}) {
        for (const int multiplier : {1, 2}) {
          ConvParameters p;
          p.batch = height == 9 ? 2 : 1;
          p.height = height;
          p.width = width;
          p.in = 6;
          p.kernel_h = p.kernel_w = kernel;
          p.attr.padding.mode = PaddingMode::kSame;
          p.attr.dilation_h = p.attr.dilation_w = height == 67 ? 2 : 1;
          p.activation = kKinds[kind++ % std::size(kKinds)];
          p.residual = height != 9;
          p.pixel_residual = height == 9 && kernel != 5;
          p.residual_channels = height == 9 && kernel == 5 ? 5 : 0;
          const OpCase made = depthwise_case(p, multiplier, seed++);
          check(last ? with_residual_last(made) : made);
        }
      }
    }
  }
}

TEST_F(ConvTest, Depthwise) {
  uint64_t seed = 600;
  for (const int channels : kChannels) {
    for (const int multiplier : {1, 2, 3}) {
      ConvParameters p;
      p.in = channels;
      p.attr.padding.mode = PaddingMode::kSame;
      check(depthwise_case(p, multiplier, seed++));
    }
  }
  for (const Activation activation : kActivations) {
    ConvParameters p;
    p.in = 5;
    p.activation = activation;
    p.data = Fill::kWide;
    check(depthwise_case(p, 1, seed++));
  }
  for (const auto& [height, width] : {std::pair{1, 1}, {1, 67}, {65, 63}, {128, 40}}) {
    for (const int stride : {1, 2, 3}) {
      for (const int dilation : {1, 2, 4}) {
        ConvParameters p;
        p.batch = 2;
        p.height = height;
        p.width = width;
        p.in = 6;
        p.kernel_w = 5;
        p.attr = {{PaddingMode::kSame}, stride, stride, dilation, dilation};
        check(depthwise_case(p, 1, seed++));
      }
    }
  }
}

// Square kernels, whose invocations compute tiles: sizes that tiles do not divide, and strides and dilations per axis.
TEST_F(ConvTest, DepthwiseTiles) {
  uint64_t seed = 900;
  for (const int kernel : {3, 5}) {
    for (const auto& [height, width] : {std::pair{65, 63}, {64, 40}, {33, 2}, {7, 301}}) {
      for (const auto& [stride_h, stride_w] : {std::pair{1, 1}, {2, 2}, {1, 2}, {2, 1}}) {
        for (const auto& [dilation_h, dilation_w] : {std::pair{1, 1}, {2, 2}, {1, 3}, {4, 1}, {5, 7}}) {
          ConvParameters p;
          p.batch = 2;
          p.height = height;
          p.width = width;
          p.in = 9;
          p.kernel_h = p.kernel_w = kernel;
          p.attr = {{PaddingMode::kSame}, stride_h, stride_w, dilation_h, dilation_w};
          check(depthwise_case(p, 1, seed++));
        }
      }
    }
  }
}

TEST_F(ConvTest, TransposeConv) {
  uint64_t seed = 700;
  Random random(7);
  int made = 0;
  while (made < 60) {
    ConvParameters p;
    p.batch = random.pick(1, 2);
    p.height = random.of({1, 3, 8, 17});
    p.width = random.of({1, 4, 7, 33});
    p.in = random.of(kChannels);
    p.out = random.of({1, 3, 4, 5, 13, 16, 32});
    p.kernel_h = random.pick(1, 4);
    p.kernel_w = random.pick(1, 4);
    p.activation = random.of({Activation::kNone, Activation::kRelu6, Activation::kPrelu});
    const int stride_h = random.pick(1, 3), stride_w = random.pick(1, 3);
    const bool same = random.pick(0, 1) == 0;
    TransposeConvAttr attr;
    attr.padding.mode = same ? PaddingMode::kSame : PaddingMode::kValid;
    attr.stride_h = stride_h;
    attr.stride_w = stride_w;
    attr.out_h = same ? p.height * stride_h : (p.height - 1) * stride_h + p.kernel_h;
    attr.out_w = same ? p.width * stride_w : (p.width - 1) * stride_w + p.kernel_w;
    p.attr.stride_h = stride_h;
    p.attr.stride_w = stride_w;
    p.attr.padding = attr.padding;
    ++made;
    CaseBuilder builder(seed++);
    const ValueId data = builder.input({p.batch, p.height, p.width, p.in});
    const ValueId weights = builder.constant({p.out, p.kernel_h, p.kernel_w, p.in});
    builder.node(OpType::kTransposeConv, attr, conv_inputs(builder, data, weights, p.out, true, p.activation),
                 p.activation);
    check(builder.build(p.name("transpose conv")));
  }
}

// Kernels with even sides and one output channel have a shader of their own: four outputs are the lanes of one sum.
TEST_F(ConvTest, TransposeConvToOneChannel) {
  uint64_t seed = 800;
  for (const int kernel_h : {2, 4}) {
    for (const int kernel_w : {2, 6}) {
      for (const PaddingMode mode : {PaddingMode::kSame, PaddingMode::kValid}) {
        for (const Activation activation : {Activation::kNone, Activation::kLogistic, Activation::kPrelu}) {
          ConvParameters p;
          p.batch = 1 + static_cast<int>(seed % 2);
          p.height = 5;
          p.width = 9;
          p.in = static_cast<int>(seed % 3) * 8 + 3;
          p.out = 1;
          p.kernel_h = kernel_h;
          p.kernel_w = kernel_w;
          p.activation = activation;
          TransposeConvAttr attr;
          attr.padding.mode = mode;
          attr.stride_h = attr.stride_w = 2;
          const bool same = mode == PaddingMode::kSame;
          attr.out_h = same ? p.height * 2 : (p.height - 1) * 2 + kernel_h;
          attr.out_w = same ? p.width * 2 : (p.width - 1) * 2 + kernel_w;
          p.attr.stride_h = p.attr.stride_w = 2;
          p.attr.padding = attr.padding;
          CaseBuilder builder(seed++);
          const ValueId data = builder.input({p.batch, p.height, p.width, p.in});
          const ValueId weights = builder.constant({1, kernel_h, kernel_w, p.in});
          builder.node(OpType::kTransposeConv, attr, conv_inputs(builder, data, weights, 1, true, activation),
                       activation);
          check(builder.build(p.name("transpose conv")));
        }
      }
    }
  }
}

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
