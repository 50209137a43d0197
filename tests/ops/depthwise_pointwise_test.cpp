// Two convolutions in one node: DEPTHWISE_POINTWISE, a depthwise convolution and the following 1×1 convolution, and
// SQUEEZE_EXCITE, one or two 1×1 convolutions of the mean of an image.
#include "ops/op_test.h"

namespace sightglass::test {
namespace {

constexpr std::initializer_list<Activation> kBetween = {Activation::kNone, Activation::kRelu, Activation::kRelu6,
                                                        Activation::kReluN1To1};

struct Parameters {
  int batch = 1, height = 9, width = 7, in = 5, out = 13;
  DepthwiseConv2dAttr attr{{PaddingMode::kSame}};
  Activation between = Activation::kNone, activation = Activation::kNone;
  bool bias = true, residual = false, pixel = false, addend = false;
  int kernel = 3, residual_channels = 0;  // the first ones of the output
  bool spread = false;
  Fill data = Fill::kUniform, weights = Fill::kUniform;

  std::string name() const {
    const auto pair = [](int h, int w) { return std::to_string(h) + "x" + std::to_string(w); };
    return "depthwise pointwise " + std::to_string(batch) + "x" + pair(height, width) + "x" + std::to_string(in) + "→" +
           std::to_string(out) + " s" + pair(attr.stride_h, attr.stride_w) + " d" +
           pair(attr.dilation_h, attr.dilation_w) + " p" + std::to_string(static_cast<int>(attr.padding.mode)) + " " +
           to_string(between) + " " + to_string(activation) + (bias ? "" : " no bias") + (residual ? " residual" : "") +
           (pixel ? " pixel" : "") + (addend ? " addend" : "") +
           (residual_channels > 0 ? " of " + std::to_string(residual_channels) : "") +
           (kernel == 3 ? "" : " kernel " + std::to_string(kernel)) + (spread ? " spread" : "");
  }
};

// Of the result of the depthwise convolution: for SAME padding.
Shape between_shape(const Parameters& p) {
  const int rows = (p.height + p.attr.stride_h - 1) / p.attr.stride_h;
  return {p.batch, rows, (p.width + p.attr.stride_w - 1) / p.attr.stride_w, p.in};
}

// The summand is the output of another such node of the same shape, or one pixel.
OpCase make(const Parameters& p, uint64_t seed) {
  CaseBuilder builder(seed);
  const ValueId data = builder.input({p.batch, p.height, p.width, p.in}, p.data);
  std::vector<ValueId> inputs{data, builder.constant({p.out, 1, 1, p.in}, p.weights)};
  inputs.resize(kDepthwiseBias + 1, kNone);
  if (p.bias) inputs[2] = builder.constant({p.out});
  if (p.activation == Activation::kPrelu) inputs[3] = builder.constant({p.out});
  inputs[kDepthwiseWeights] = builder.constant({1, p.kernel, p.kernel, p.in}, p.weights);
  if (p.bias) inputs[kDepthwiseBias] = builder.constant({p.in});
  const DepthwisePointwiseAttr attr{p.attr, p.between, p.spread};
  if (p.pixel) inputs[kResidualInput] = builder.input({p.batch, 1, 1, p.out});
  if (p.residual_channels > 0) {
    inputs[kResidualInput] = builder.input({p.batch, p.height, p.width, p.residual_channels});
  }
  if (p.addend) inputs[kAddendInput] = builder.input(between_shape(p), p.data);
  const ValueId out = builder.node(OpType::kDepthwisePointwise, attr, inputs, p.activation);
  if (p.residual) {
    inputs[kResidualInput] = out;
    builder.node(OpType::kDepthwisePointwise, attr, inputs, p.activation);
  }
  return builder.build(p.name());
}

using DepthwisePointwiseTest = OpTest;

TEST_F(DepthwisePointwiseTest, EveryChannelCount) {
  uint64_t seed = 1;
  for (const int in : {1, 3, 4, 5, 13, 16, 97}) {
    for (const int out : {1, 3, 4, 5, 8, 12, 13, 16, 17, 24, 29, 32}) {
      Parameters p;
      p.in = in;
      p.out = out;
      check(make(p, seed++));
    }
  }
}

TEST_F(DepthwisePointwiseTest, EveryActivation) {
  uint64_t seed = 100;
  for (const Activation between : kBetween) {
    for (const bool bias : {false, true}) {
      for (const Activation activation : {Activation::kNone, Activation::kRelu6, Activation::kPrelu}) {
        Parameters p;
        p.between = between;
        p.activation = activation;
        p.bias = bias;
        p.data = Fill::kWide;
        check(make(p, seed++));
      }
    }
  }
  for (const Activation activation : {Activation::kTanh, Activation::kLogistic, Activation::kHardSwish}) {
    Parameters p;
    p.activation = activation;
    check(make(p, seed++));
  }
}

TEST_F(DepthwisePointwiseTest, Residual) {
  // Every program is compiled, so each operand meets each activation in one size.
  constexpr Activation kKinds[] = {Activation::kNone, Activation::kRelu, Activation::kPrelu};
  uint64_t seed = 200;
  size_t kind = 0;
  for (const auto& [height, width] : {std::pair{1, 1}, {9, 7}, {67, 71}}) {
    for (const bool pixel : {false, true}) {
      Parameters p;
      p.batch = height == 9 ? 2 : 1;
      p.height = height;
      p.width = width;
      p.activation = kKinds[kind++ % std::size(kKinds)];
      p.between = Activation::kRelu6;
      p.residual = !pixel;
      p.pixel = pixel;
      check(make(p, seed++));
    }
  }
}

TEST_F(DepthwisePointwiseTest, ResidualAfterTheActivation) {
  uint64_t seed = 240;
  for (const auto& [height, width] : {std::pair{1, 1}, {9, 7}, {67, 71}}) {
    for (const int out : {13, 21}) {
      Parameters p;
      p.batch = height == 9 ? 2 : 1;
      p.height = height;
      p.width = width;
      p.out = out;
      p.activation = out == 13 ? Activation::kRelu6 : Activation::kPrelu;
      p.between = Activation::kRelu6;
      p.residual = height != 9;
      p.pixel = height == 9;
      check(with_residual_last(make(p, seed++)));
    }
  }
}

TEST_F(DepthwisePointwiseTest, ResidualOfTheFirstChannels) {
  uint64_t seed = 220;
  for (const auto& [height, width] : {std::pair{9, 7}, {67, 71}}) {
    for (const int channels : {1, 4, 5, 12}) {
      Parameters p;
      p.batch = height == 9 ? 2 : 1;
      p.height = height;
      p.width = width;
      p.residual_channels = channels;
      check(make(p, seed++));
    }
  }
}

// Of every register tile, with remainders, and for strides. Each activation in one size.
TEST_F(DepthwisePointwiseTest, Addend) {
  constexpr Activation kKinds[] = {Activation::kNone, Activation::kRelu, Activation::kPrelu};
  uint64_t seed = 1200;
  size_t kind = 0;
  for (const auto& [height, width] : {std::pair{1, 1}, {9, 7}, {33, 35}, {67, 71}}) {
    for (const int out : {1, 8, 13, 21, 32}) {
      Parameters p;
      p.batch = height == 9 ? 2 : 1;
      p.height = height;
      p.width = width;
      p.out = out;
      p.attr.stride_h = p.attr.stride_w = out == 13 ? 2 : 1;
      p.activation = kKinds[kind++ % std::size(kKinds)];
      p.between = Activation::kRelu6;
      p.addend = true;
      check(make(p, seed++));
    }
  }
  for (const Fill data : {Fill::kZero, Fill::kTiny, Fill::kOneHot, Fill::kWide}) {
    Parameters p;
    p.data = data;
    p.addend = true;
    check(make(p, seed++));
  }
}

// Images for two and four rows, with remainders, and every number of slices.
TEST_F(DepthwisePointwiseTest, RegisterTiles) {
  uint64_t seed = 250;
  for (const auto& [height, width] : {std::pair{33, 35}, {67, 71}}) {
    for (const int out : {4, 8, 12, 16, 20, 24, 28, 32}) {
      for (const int stride : {1, 2}) {
        Parameters p;
        p.height = height * stride;
        p.width = width * stride;
        p.out = out;
        p.attr.stride_h = p.attr.stride_w = stride;
        p.attr.dilation_h = p.attr.dilation_w = stride == 1 && out == 8 ? 3 : 1;
        check(make(p, seed++));
      }
    }
  }
}

// Images for one, two, and four rows, one and several groups of slices, and the two steps of other devices.
TEST_F(DepthwisePointwiseTest, ManyOutputs) {
  constexpr Activation kKinds[] = {Activation::kNone, Activation::kRelu6, Activation::kPrelu};
  uint64_t seed = 1600;
  for (const int kernel : {3, 5}) {
    for (const auto& [height, width] : {std::pair{2, 3}, {6, 6}, {8, 9}, {16, 15}, {31, 33}}) {
      for (const int out : {24, 33, 56, 96, 192}) {
        if (++seed % 2 == 0) continue;  // every second one: programs take long to compile
        Parameters p;
        p.kernel = kernel;
        p.batch = height == 8 ? 2 : 1;
        p.height = height;
        p.width = width;
        p.in = out == 33 ? 43 : 6;
        p.out = out;
        p.attr.stride_h = p.attr.stride_w = out == 56 ? 2 : 1;
        p.attr.dilation_h = p.attr.dilation_w = out == 96 ? 2 : 1;
        p.between = out % 2 == 0 ? Activation::kRelu6 : Activation::kNone;
        // Every program is compiled: operands take turns.
        p.residual_channels = out == 24 ? 21 : 0;
        p.addend = out == 33 || out == 56;
        p.pixel = out == 192;
        p.activation = kKinds[seed % std::size(kKinds)];
        check(make(p, seed));
      }
    }
  }
}

TEST_F(DepthwisePointwiseTest, ManyOutputsOfAdversarialValues) {
  uint64_t seed = 1700;
  for (const int kernel : {3, 5}) {
    for (const Fill data : {Fill::kZero, Fill::kTiny, Fill::kOneHot, Fill::kWide}) {
      Parameters p;
      p.kernel = kernel;
      p.height = p.width = 8;
      p.out = 40;
      p.data = data;
      check(make(p, seed++));
    }
  }
}

TEST_F(DepthwisePointwiseTest, Spread) {
  uint64_t seed = 1800;
  for (const auto& [height, width] : {std::pair{1, 1}, {9, 7}, {33, 35}, {67, 71}}) {
    for (const int in : {1, 4, 13}) {
      for (const bool addend : {false, true}) {
        Parameters p;
        p.batch = height == 9 ? 2 : 1;
        p.height = height;
        p.width = width;
        p.in = in;
        p.out = 4;
        p.attr.stride_h = p.attr.stride_w = in == 4 ? 2 : 1;
        p.between = Activation::kRelu;
        p.activation = addend ? Activation::kLogistic : Activation::kNone;
        p.addend = addend;
        p.spread = true;
        check(make(p, seed++));
      }
    }
  }
}

TEST_F(DepthwisePointwiseTest, RandomGeometry) {
  Random random(3);
  int made = 0;
  for (uint64_t seed = 300; made < 80; ++seed) {
    Parameters p;
    p.batch = random.pick(1, 2);
    p.height = random.of({1, 2, 5, 16, 33, 66});
    p.width = random.of({1, 3, 8, 17, 45});
    p.in = random.of({1, 3, 4, 5, 13, 16});
    p.out = random.of({1, 3, 4, 5, 13, 16, 23, 32});
    p.attr.padding = random.pick(0, 1) == 0
                         ? Padding2d{random.pick(0, 1) == 0 ? PaddingMode::kSame : PaddingMode::kValid}
                         : Padding2d{PaddingMode::kExplicit, random.pick(0, 3), random.pick(0, 3), random.pick(0, 3),
                                     random.pick(0, 3)};
    p.attr.stride_h = random.pick(1, 2);
    p.attr.stride_w = random.pick(1, 3);
    p.attr.dilation_h = p.attr.stride_h == 1 ? random.pick(1, 3) : 1;
    p.attr.dilation_w = random.pick(1, 3);
    p.between = random.of(kBetween);
    const Padding2d& pad = p.attr.padding;
    if (pad.mode != PaddingMode::kSame && (p.height + pad.top + pad.bottom <= 2 * p.attr.dilation_h ||
                                           p.width + pad.left + pad.right <= 2 * p.attr.dilation_w)) {
      continue;  // no output at all
    }
    ++made;
    check(make(p, seed));
  }
}

TEST_F(DepthwisePointwiseTest, AdversarialValues) {
  uint64_t seed = 500;
  // Large values, summed twice, exceed the range of 16 bits.
  for (const Fill data : {Fill::kZero, Fill::kTiny, Fill::kOneHot, Fill::kPositive}) {
    // Stored in 32 bits, and in 8.
    for (const Fill weights : {Fill::kUniform, Fill::kOneHot}) {
      Parameters p;
      p.data = data;
      p.weights = weights;
      check(make(p, seed++));
    }
  }
}

// A model block after the rewrites, with 16-bit weights in one convolution.
TEST_F(DepthwisePointwiseTest, ABlockOfAModel) {
  CaseBuilder builder(600);
  const ValueId data = builder.input({1, 33, 21, 13});
  const ValueId made =
      builder.node(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{{PaddingMode::kSame}},
                   {data, builder.constant({1, 3, 3, 13}, Fill::kRamp), builder.constant({13})}, Activation::kRelu6);
  const ValueId projected =
      builder.node(OpType::kConv2d, Conv2dAttr{}, {made, builder.constant({13, 1, 1, 13}), builder.constant({13})});
  builder.node(OpType::kAdd, {}, {data, projected}, Activation::kRelu);
  check(builder.build("block"), true);
}

// A 1×1 convolution, or a depthwise one and a 1×1 convolution, and a residual of another height and width.
struct Sampled {
  int batch = 1, height = 9, width = 7, in = 5, out = 13;  // the image is that of the output
  int rows = 18, columns = 14, channels = 13;              // of the residual
  Activation activation = Activation::kNone;
  Fill residual = Fill::kUniform;
  bool last = false;
};

void check_sampled(OpTest& test, const Sampled& s, ResidualSampling sampling, uint64_t seed) {
  for (const bool depthwise : {false, true}) {
    CaseBuilder builder(seed);
    std::vector<ValueId> inputs{builder.input({s.batch, s.height, s.width, s.in}),
                                builder.constant({s.out, 1, 1, s.in}), builder.constant({s.out})};
    inputs.resize(depthwise ? kDepthwiseBias + 1 : kResidualInput + 1, kNone);
    if (s.activation == Activation::kPrelu) inputs[3] = builder.constant({s.out});
    if (depthwise) inputs[kDepthwiseWeights] = builder.constant({1, 3, 3, s.in});
    const ValueId out = depthwise ? builder.node(OpType::kDepthwisePointwise,
                                                 DepthwisePointwiseAttr{{{PaddingMode::kSame}}, Activation::kNone},
                                                 inputs, s.activation)
                                  : builder.node(OpType::kConv2d, Conv2dAttr{}, inputs, s.activation);
    const ValueId residual = builder.input({s.batch, s.rows, s.columns, s.channels}, s.residual);
    OpCase c =
        builder.build(std::string(depthwise ? "depthwise pointwise " : "conv2d ") + std::to_string(s.batch) + "x" +
                      std::to_string(s.height) + "x" + std::to_string(s.width) + "x" + std::to_string(s.in) + "→" +
                      std::to_string(s.out) + " residual " + std::to_string(s.rows) + "x" + std::to_string(s.columns) +
                      "x" + std::to_string(s.channels));
    const NodeId node = c.graph.value(out).producer;
    c.graph.set_input(node, kResidualInput, residual);
    if (s.last) c = with_residual_last(std::move(c));
    test.check(with_residual_sampled(std::move(c), sampling));
  }
}

// Even and odd sides, whose last row or column is left out or is a maximum of fewer pixels, in every register tile.
TEST_F(DepthwisePointwiseTest, PooledResidual) {
  constexpr Activation kKinds[] = {Activation::kNone, Activation::kRelu, Activation::kPrelu};
  uint64_t seed = 1500;
  for (const auto& [height, width] : {std::pair{1, 1}, {2, 2}, {9, 7}, {33, 35}, {67, 71}}) {
    for (const int odd : {-1, 0, 1}) {
      for (const int channels : {1, 4, 13}) {
        check_sampled(*this,
                      {.batch = height == 9 ? 2 : 1,
                       .height = height,
                       .width = width,
                       .rows = 2 * height + odd,
                       .columns = 2 * width - odd,
                       .channels = channels,
                       .activation = kKinds[(static_cast<size_t>(odd) + 1) % std::size(kKinds)]},
                      ResidualSampling::kPooled, seed++);
      }
    }
  }
  for (const int out : {1, 4, 16, 21, 32}) {
    check_sampled(*this, {.height = 17, .width = 19, .out = out, .rows = 33, .columns = 39, .channels = out},
                  ResidualSampling::kPooled, seed++);
  }
  for (const Fill fill : {Fill::kZero, Fill::kTiny, Fill::kOneHot, Fill::kWide, Fill::kLarge}) {
    check_sampled(*this, {.residual = fill}, ResidualSampling::kPooled, seed++);
  }
}

// To as many rows and columns or more, from one, and by other factors than two.
TEST_F(DepthwisePointwiseTest, ResizedResidual) {
  constexpr Activation kKinds[] = {Activation::kNone, Activation::kRelu6, Activation::kPrelu};
  uint64_t seed = 1900;
  for (const auto& [height, width] : {std::pair{1, 1}, {2, 3}, {9, 7}, {33, 35}, {66, 70}}) {
    for (const int divisor : {1, 2, 3, 100}) {
      for (const bool last : {false, true}) {
        const int channels = divisor == 3 ? 5 : 13;
        check_sampled(*this,
                      {.batch = height == 9 ? 2 : 1,
                       .height = height,
                       .width = width,
                       .rows = std::max(height / divisor, 1),
                       .columns = std::max(width * 2 / (divisor + 1), 1),
                       .channels = channels,
                       .activation = kKinds[seed % std::size(kKinds)],
                       .last = last},
                      ResidualSampling::kResized, seed++);
      }
    }
  }
  for (const Fill fill : {Fill::kZero, Fill::kTiny, Fill::kOneHot, Fill::kWide}) {
    check_sampled(*this, {.rows = 4, .columns = 7, .residual = fill}, ResidualSampling::kResized, seed++);
  }
}

struct Excitation {
  int batch = 1, height = 9, width = 7, in = 13, between = 5, out = 6;  // `between` is 0 for one convolution
  Activation first = Activation::kRelu, second = Activation::kLogistic;
  bool bias = true, addend = false;
  Fill data = Fill::kUniform, weights = Fill::kUniform;
};

OpCase excite(const Excitation& e, uint64_t seed) {
  CaseBuilder builder(seed);
  std::vector<ValueId> inputs{builder.input({e.batch, e.height, e.width, e.in}, e.data),
                              builder.constant({e.out, 1, 1, e.between == 0 ? e.in : e.between}, e.weights)};
  inputs.resize(kSqueezeBias + 1, kNone);
  if (e.bias) inputs[2] = builder.constant({e.out});
  if (e.second == Activation::kPrelu) inputs[3] = builder.constant({e.out});
  if (e.addend) inputs[kAddendInput] = builder.input({e.batch, e.height, e.width, e.in}, e.data);
  if (e.between > 0) inputs[kSqueezeWeights] = builder.constant({e.between, 1, 1, e.in}, e.weights);
  if (e.between > 0 && e.bias) inputs[kSqueezeBias] = builder.constant({e.between});
  builder.node(OpType::kSqueezeExcite, SqueezeExciteAttr{e.first}, inputs, e.second);
  return builder.build("squeeze excite " + std::to_string(e.batch) + "x" + std::to_string(e.height) + "x" +
                       std::to_string(e.width) + "x" + std::to_string(e.in) + "→" + std::to_string(e.between) + "→" +
                       std::to_string(e.out) + " " + to_string(e.first) + " " + to_string(e.second) +
                       (e.addend ? " addend" : ""));
}

using SqueezeExciteTest = OpTest;

// Fewer slices than invocations of the group, as many, and more; lanes past the last channel; a mean of one pixel.
TEST_F(SqueezeExciteTest, EveryChannelCount) {
  uint64_t seed = 700;
  for (const int in : {1, 3, 4, 5, 16, 97, 255, 256, 260, 1024}) {
    for (const int between : {0, 1, 4, 5, 61}) {
      const int out = in == 97 ? 1024 : in;
      check(excite({.height = 1 + static_cast<int>(seed % 7), .in = in, .between = between, .out = out}, seed));
      ++seed;
    }
  }
  check(excite({.in = 5, .between = 1024, .out = 3}, seed++));
}

TEST_F(SqueezeExciteTest, EveryImage) {
  uint64_t seed = 800;
  for (const auto& [height, width] : {std::pair{1, 1}, {1, 65}, {64, 1}, {31, 33}, {128, 125}}) {
    for (const int batch : {1, 3}) check(excite({.batch = batch, .height = height, .width = width}, seed++));
  }
}

TEST_F(SqueezeExciteTest, Addend) {
  uint64_t seed = 850;
  for (const int between : {0, 5}) {
    for (const int in : {1, 13, 97, 260}) {
      const int batch = in == 97 ? 2 : 1;
      check(excite({.batch = batch, .height = in, .in = in, .between = between, .addend = true}, seed++));
    }
    for (const Fill data : {Fill::kZero, Fill::kTiny, Fill::kOneHot, Fill::kWide}) {
      check(excite({.between = between, .addend = true, .data = data}, seed++));
    }
  }
}

TEST_F(SqueezeExciteTest, EveryActivation) {
  uint64_t seed = 900;
  for (const Activation first :
       {Activation::kNone, Activation::kRelu, Activation::kRelu6, Activation::kReluN1To1, Activation::kTanh,
        Activation::kLogistic, Activation::kHardSwish, Activation::kHardSigmoid, Activation::kSwish}) {
    check(excite({.first = first, .bias = seed % 2 == 0, .data = Fill::kWide}, seed));
    ++seed;
  }
  for (const Activation second : {Activation::kNone, Activation::kHardSigmoid, Activation::kPrelu}) {
    check(excite({.second = second}, seed++));
    check(excite({.between = 0, .second = second}, seed++));
  }
}

TEST_F(SqueezeExciteTest, AdversarialValues) {
  uint64_t seed = 1000;
  for (const Fill data : {Fill::kZero, Fill::kTiny, Fill::kOneHot, Fill::kPositive}) {
    for (const Fill weights : {Fill::kUniform, Fill::kOneHot})
      check(excite({.data = data, .weights = weights}, seed++));
  }
}

}  // namespace
}  // namespace sightglass::test
