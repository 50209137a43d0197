// Operators on quantized values. Those that TensorFlow Lite computes in integers must match the reference exactly.
// Functions may differ if a result is between two quantization steps.
#include "harness/value_of.h"
#include "ops/op_test.h"

namespace sightglass::test {
namespace {

using QuantizedTest = OpTest;

struct Types {
  const char* name;
  Quantized data, result;
  Quantized weights(int32_t channels, int32_t axis) const {
    if (data.type == DataType::kUInt8) return {DataType::kUInt8, {0.011f}, 121, 0};
    std::vector<float> scales;
    for (int32_t c = 0; c < channels; ++c) scales.push_back(0.004f + 0.001f * static_cast<float>(c % 5));
    return {DataType::kInt8, scales, 0, axis};
  }
};
const Types kTypes[] = {{"uint8", {DataType::kUInt8, {0.0235f}, 128}, {DataType::kUInt8, {0.31f}, 97}},
                        {"int8", {DataType::kInt8, {0.0391f}, -7}, {DataType::kInt8, {0.47f}, 11}}};
constexpr Activation kClamps[] = {Activation::kNone, Activation::kRelu, Activation::kRelu6, Activation::kReluN1To1};

TEST_F(QuantizedTest, Conv2d) {
  uint64_t seed = 1;
  for (const Types& types : kTypes) {
    for (const int in : kChannels) {
      const int out = in == 5 ? 17 : 6, size = in == 16 ? 21 : 5;
      CaseBuilder builder(seed++);
      Conv2dAttr attr;
      attr.padding.mode = seed % 2 == 0 ? PaddingMode::kSame : PaddingMode::kValid;
      attr.stride_h = attr.stride_w = seed % 3 == 0 ? 2 : 1;
      const int kernel = in == 13 ? 1 : 3;
      const ValueId data = builder.input({2, size, size + 2, in}, types.data);
      const ValueId weights = builder.constant({out, kernel, kernel, in}, types.weights(out, 0));
      builder.node(OpType::kConv2d, attr, {data, weights, builder.bias(out)}, types.result, kClamps[seed % 4]);
      check(builder.build(std::string(types.name) + " CONV_2D C" + std::to_string(in)), false, kExact);
    }
  }
}

// Many sums are half a step. Those of int8 are rounded once, and those of uint8 twice.
TEST_F(QuantizedTest, SumsHalfAStepFromTwoResults) {
  for (const DataType type : {DataType::kUInt8, DataType::kInt8}) {
    const int64_t zero = type == DataType::kUInt8 ? 128 : 0;
    const Quantized half{type, {0.5f}, zero}, weight{type, {0.5f}, zero, 0}, result{type, {4}, zero};
    CaseBuilder conv(90);
    const ValueId image = conv.input({1, 9, 9, 1}, half), filters = conv.constant({16, 1, 1, 1}, weight);
    conv.node(OpType::kConv2d, Conv2dAttr{}, {image, filters, conv.bias(16)}, result);
    check(conv.build(std::string(to_string(type)) + " CONV_2D between two steps"), false, kExact);
    CaseBuilder connected(91);
    const ValueId rows = connected.input({81, 1}, half), matrix = connected.constant({16, 1}, weight);
    connected.node(OpType::kFullyConnected, FullyConnectedAttr{}, {rows, matrix, connected.bias(16)}, result);
    check(connected.build(std::string(to_string(type)) + " FULLY_CONNECTED between two steps"), false, kExact);
  }
}

TEST_F(QuantizedTest, DepthwiseConv2d) {
  uint64_t seed = 100;
  for (const Types& types : kTypes) {
    for (const int channels : kChannels) {
      for (const int multiplier : {1, 2}) {
        CaseBuilder builder(seed++);
        DepthwiseConv2dAttr attr;
        attr.padding.mode = PaddingMode::kSame;
        attr.stride_h = attr.stride_w = seed % 3 == 0 ? 2 : 1;
        attr.multiplier = multiplier;
        const int out = channels * multiplier;
        const ValueId data = builder.input({1, 9, 7, channels}, types.data);
        const ValueId weights = builder.constant({1, 3, 3, out}, types.weights(out, 3));
        builder.node(OpType::kDepthwiseConv2d, attr, {data, weights, builder.bias(out)}, types.result,
                     kClamps[seed % 4]);
        check(builder.build(std::string(types.name) + " DEPTHWISE_CONV_2D C" + std::to_string(channels)), false,
              kExact);
      }
    }
  }
}

TEST_F(QuantizedTest, TransposeConvAndFullyConnected) {
  uint64_t seed = 200;
  for (const Types& types : kTypes) {
    for (const int in : kChannels) {
      const int out = 6;
      CaseBuilder transposed(seed++);
      TransposeConvAttr attr;
      attr.padding.mode = PaddingMode::kSame;
      attr.stride_h = attr.stride_w = 2;
      attr.out_h = 10;
      attr.out_w = 14;
      const ValueId data = transposed.input({1, 5, 7, in}, types.data);
      const ValueId weights = transposed.constant({out, 3, 3, in}, types.weights(out, 0));
      transposed.node(OpType::kTransposeConv, attr, {data, weights}, types.result);
      check(transposed.build(std::string(types.name) + " TRANSPOSE_CONV C" + std::to_string(in)), false, kExact);

      CaseBuilder connected(seed++);
      const ValueId rows = connected.input({3, in}, types.data);
      const Quantized one_scale{types.data.type, {0.0071f}, types.data.type == DataType::kUInt8 ? 133 : 0, 0};
      const ValueId matrix = connected.constant({out, in}, one_scale);
      connected.node(OpType::kFullyConnected, FullyConnectedAttr{}, {rows, matrix, connected.bias(out)}, types.result,
                     Activation::kRelu);
      check(connected.build(std::string(types.name) + " FULLY_CONNECTED " + std::to_string(in)), false, kExact);
    }
  }
}

TEST_F(QuantizedTest, SumsAndProducts) {
  const std::pair<Shape, Shape> pairs[] = {
      {{2, 5, 7, 13}, {2, 5, 7, 13}}, {{2, 5, 7, 13}, {13}}, {{1, 5, 7, 4}, {1, 1, 1, 1}}, {{3}, {3}}};
  uint64_t seed = 300;
  for (const Types& types : kTypes) {
    const Quantized other{types.data.type, {0.0173f}, 3};
    for (const OpType op : {OpType::kAdd, OpType::kSub, OpType::kMul, OpType::kSquaredDifference, OpType::kPrelu}) {
      for (const auto& [a, b] : pairs) {
        CaseBuilder builder(seed++);
        const ValueId x = builder.input(a, types.data), y = builder.input(b, other);
        const Quantized result{types.data.type, {op == OpType::kMul ? 0.11f : 0.0421f}, -2};
        builder.node(op, {}, {x, y}, result, kClamps[seed % 4]);
        check(builder.build(std::string(types.name) + " " + to_string(op) + " " + b.to_string()), false, kExact);
      }
    }
  }
}

TEST_F(QuantizedTest, ChangesOfQuantization) {
  uint64_t seed = 400;
  for (const Types& types : kTypes) {
    for (const int channels : kChannels) {
      const Shape shape{2, 5, 7, channels};
      CaseBuilder quantize(seed++);
      quantize.node(OpType::kQuantize, {}, {quantize.input(shape, Fill::kWide)}, types.data);
      check(quantize.build(std::string("QUANTIZE to ") + types.name), false, kExact);
      CaseBuilder requantize(seed++);
      requantize.node(OpType::kQuantize, {}, {requantize.input(shape, types.data)}, types.result);
      check(requantize.build(std::string("QUANTIZE from ") + types.name), false, kExact);
      for (const int64_t zero : {int64_t{3}, types.data.zero_point}) {  // with a step, and in the same memory
        CaseBuilder reinterpret(seed++);
        const Quantized other{types.data.type, {0.5f}, zero};
        const ValueId numbers =
            reinterpret.node(OpType::kReinterpret, {}, {reinterpret.input(shape, types.data)}, other);
        reinterpret.node(OpType::kMaxPool2d, Pool2dAttr{}, {numbers}, other);
        check(reinterpret.build(std::string("REINTERPRET ") + types.name), false, kExact);
      }
      CaseBuilder dequantize(seed++);
      dequantize.node(OpType::kDequantize, {}, {dequantize.input(shape, types.data)});
      check(dequantize.build(std::string("DEQUANTIZE ") + types.name));
    }
  }
}

TEST_F(QuantizedTest, PoolsAndMeans) {
  uint64_t seed = 500;
  for (const Types& types : kTypes) {
    for (const int channels : kChannels) {
      const Shape shape{2, 9, 11, channels};
      for (const OpType op : {OpType::kAveragePool2d, OpType::kMaxPool2d}) {
        CaseBuilder pool(seed++);
        Pool2dAttr attr;
        attr.filter_h = attr.filter_w = 2;  // averages of four: a quarter of them are ties
        attr.stride_h = attr.stride_w = 2;
        pool.node(op, attr, {pool.input(shape, types.data)}, types.data);
        check(pool.build(std::string(types.name) + " " + to_string(op)), false, kExact);
      }
      CaseBuilder whole(seed++);  // a window of more than one pass
      Pool2dAttr window;
      window.filter_h = 33;
      window.filter_w = 31;
      whole.node(OpType::kAveragePool2d, window, {whole.input({2, 33, 31, channels}, types.data)}, types.data);
      check(whole.build(std::string(types.name) + " AVERAGE_POOL_2D of everything"), false, kExact);
      CaseBuilder mean(seed++);
      mean.node(OpType::kMean, ReduceAttr{{1, 2}, true}, {mean.input(shape, types.data)},
                Quantized{types.data.type, {0.0137f}, 5});
      check(mean.build(std::string(types.name) + " MEAN"), false, kExact);
      for (const std::vector<int32_t>& axes : {std::vector<int32_t>{2}, {1}, {0, 2, 3}}) {
        CaseBuilder other(seed++);
        other.node(OpType::kMean, ReduceAttr{axes, false}, {other.input(shape, types.data)},
                   Quantized{types.data.type, {0.0137f}, 5});
        check(other.build(std::string(types.name) + " MEAN over other axes"), false, kExact);
      }
    }
  }
}

TEST_F(QuantizedTest, Functions) {
  uint64_t seed = 600;
  for (const Types& types : kTypes) {
    const bool is_signed = types.data.type == DataType::kInt8;
    const Quantized probability{types.data.type, {1.0f / 256}, is_signed ? -128 : 0};
    for (const int channels : kChannels) {
      const Shape shape{2, 5, 7, channels};
      CaseBuilder logistic(seed++);
      logistic.node(OpType::kLogistic, {}, {logistic.input(shape, types.data)}, probability);
      check(logistic.build(std::string(types.name) + " LOGISTIC"), false, kExact);
      CaseBuilder softmax(seed++);
      softmax.node(OpType::kSoftmax, SoftmaxAttr{}, {softmax.input(shape, types.data)}, probability);
      check(softmax.build(std::string(types.name) + " SOFTMAX"), false, kFewQuanta);
      CaseBuilder hard_swish(seed++);
      hard_swish.node(OpType::kHardSwish, {}, {hard_swish.input(shape, types.data)}, types.result);
      check(hard_swish.build(std::string(types.name) + " HARD_SWISH"), false, kExact);
      CaseBuilder resize(seed++);
      resize.node(OpType::kResizeBilinear, ResizeAttr{11, 9, false, true}, {resize.input(shape, types.data)},
                  types.data);
      check(resize.build(std::string(types.name) + " RESIZE_BILINEAR"), false, kExact);
      CaseBuilder concat(seed++);
      const ValueId a = concat.input(shape, types.data),
                    b = concat.input(shape, Quantized{types.data.type, {0.03f}, 9});
      concat.node(OpType::kConcat, ConcatAttr{3}, {a, b}, types.data);
      check(concat.build(std::string(types.name) + " CONCATENATION"), false, kFewQuanta);
    }
  }
}

TEST_F(QuantizedTest, ResizeOfSignedImages) {
  uint64_t seed = 650;
  for (const ResizeAttr& attr : {ResizeAttr{11, 9, false, true}, ResizeAttr{11, 9, true, false},
                                 ResizeAttr{3, 2, false, false}, ResizeAttr{1, 1, true, false}}) {
    for (const int channels : kChannels) {
      CaseBuilder resize(seed++);
      resize.node(OpType::kResizeBilinear, attr, {resize.input({2, 5, 7, channels}, kTypes[1].data)}, kTypes[1].data);
      check(resize.build("int8 RESIZE_BILINEAR to " + std::to_string(attr.out_h)), false, kExact);
    }
  }
}

// Sixteen bits do not fit 16-bit floats: they are stored in 32.
TEST_F(QuantizedTest, SixteenBits) {
  const Quantized data{DataType::kInt16, {0.0003f}, 0}, result{DataType::kInt16, {0.0011f}, 0};
  CaseBuilder sum(700);
  const ValueId a = sum.input({1, 5, 7, 5}, data), b = sum.input({1, 5, 7, 5}, data);
  sum.node(OpType::kAdd, {}, {a, b}, result);
  check(sum.build("int16 ADD"), false, kExact);
  CaseBuilder conv(702);
  const Quantized weights{DataType::kInt8, {0.004f, 0.005f, 0.006f}, 0, 0};
  const ValueId pixels = conv.input({1, 5, 7, 5}, data);
  conv.node(OpType::kConv2d, Conv2dAttr{}, {pixels, conv.constant({3, 1, 1, 5}, weights), conv.bias(3)}, result);
  check(conv.build("int16 CONV_2D"), false, kExact);
  const std::pair<OpType, Attributes> functions[] = {
      {OpType::kTanh, {}},         {OpType::kLogistic, {}},
      {OpType::kGelu, GeluAttr{}}, {OpType::kLeakyRelu, LeakyReluAttr{0.3f}},
      {OpType::kRelu, {}},         {OpType::kElu, {}},
      {OpType::kExp, {}}};
  for (const auto& [op, attributes] : functions) {
    CaseBuilder function(701);
    function.node(op, attributes, {function.input({1, 5, 7, 5}, data)}, Quantized{DataType::kInt16, {1.0f / 32768}, 0});
    check(function.build(std::string("int16 ") + to_string(op)), false, kExact);
  }
}

// Float data with 8-bit weights, as imported into the graph.
ValueId round_data(CaseBuilder& builder, ValueId data, int32_t group, bool asymmetric) {
  return builder.node(OpType::kDynamicQuantize, DynamicQuantizeAttr{group, asymmetric}, {data});
}

TEST_F(QuantizedTest, DynamicRange) {
  uint64_t seed = 800;
  for (const int in : kChannels) {
    for (const bool asymmetric : {false, true}) {
      for (const Fill kind : {Fill::kWide, Fill::kPositive, Fill::kZero}) {
        const int out = 6, size = in == 5 ? 67 : 5;
        const std::string name = " C" + std::to_string(in) + (asymmetric ? " asymmetric" : "");
        const Quantized channels{DataType::kInt8, {0.01f, 0.02f, 0.03f, 0.04f, 0.05f, 0.06f}, 0, 0};

        CaseBuilder conv(seed++);
        const ValueId data = conv.input({2, size, size + 2, in}, kind);
        const ValueId rounded = round_data(conv, data, size * (size + 2) * in, asymmetric);
        conv.node(OpType::kConv2d, Conv2dAttr{},
                  {rounded, conv.constant({out, 3, 3, in}, channels), conv.constant({out})}, Activation::kRelu);
        check(conv.build("CONV_2D of 8-bit weights" + name));

        CaseBuilder depthwise(seed++);
        const ValueId picture = depthwise.input({2, 5, 7, in}, kind);
        const ValueId steps = round_data(depthwise, picture, 35 * in, asymmetric);
        Quantized by_channel{DataType::kInt8, std::vector<float>(static_cast<size_t>(in), 0.03f), 0, 3};
        depthwise.node(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{},
                       {steps, depthwise.constant({1, 3, 3, in}, by_channel)});
        check(depthwise.build("DEPTHWISE_CONV_2D of 8-bit weights" + name));

        for (const Shape& shape : {Shape{3, in}, Shape{1, 2, 3, in}, Shape{2, 2, 2, in}}) {
          for (const int32_t depth : {in, static_cast<int32_t>(shape.elements() / shape.dim(0))}) {
            CaseBuilder connected(seed++);
            const ValueId rows = round_data(connected, connected.input(shape, kind), depth, asymmetric);
            const ValueId matrix = connected.constant({out, depth}, Quantized{DataType::kUInt8, {0.02f}, 0});
            connected.node(OpType::kFullyConnected, FullyConnectedAttr{}, {rows, matrix, connected.constant({out})});
            check(connected.build("FULLY_CONNECTED of 8-bit weights " + shape.to_string() + name));
          }
        }
      }
    }
  }
}

TEST_F(QuantizedTest, BroadcastingInFiveDimensions) {
  uint64_t seed = 900;
  for (const Types& types : kTypes) {
    for (const OpType op : {OpType::kAdd, OpType::kMul, OpType::kSquaredDifference}) {
      CaseBuilder builder(seed++);
      const ValueId a = builder.input({2, 1, 3, 1, 5}, types.data), b = builder.input({1, 3, 1, 4, 5}, types.data);
      builder.node(op, {}, {a, b}, types.result);
      check(builder.build(std::string(types.name) + " " + to_string(op) + " of five dimensions"), false, kFewQuanta);
    }
  }
}

TEST_F(QuantizedTest, FunctionsOfElements) {
  uint64_t seed = 920;
  for (const Types& types : kTypes) {
    for (const OpType op : {OpType::kAbs, OpType::kNeg, OpType::kElu, OpType::kRelu0To1, OpType::kRelu, OpType::kRelu6,
                            OpType::kReluN1To1, OpType::kTanh, OpType::kExp, OpType::kRsqrt, OpType::kLogSoftmax}) {
      CaseBuilder builder(seed++);
      builder.node(op, {}, {builder.input({2, 5, 7, 13}, types.data)}, types.result);
      check(builder.build(std::string(types.name) + " " + to_string(op)), false,
            op == OpType::kLogSoftmax ? kFewQuanta : kExact);
    }
    for (const float slope : {-0.5f, 0.0f, 0.1f, 3.0f}) {
      CaseBuilder builder(seed++);
      builder.node(OpType::kLeakyRelu, LeakyReluAttr{slope}, {builder.input({3, 257}, types.data)}, types.result);
      check(builder.build(std::string(types.name) + " LEAKY_RELU"), false, kExact);
    }
    for (const OpType op : {OpType::kSum, OpType::kReduceMax}) {
      CaseBuilder builder(seed++);
      builder.node(op, ReduceAttr{{1, 3}, false}, {builder.input({2, 5, 3, 4}, types.data)}, types.result);
      check(builder.build(std::string(types.name) + " " + to_string(op)), false, kFewQuanta);
    }
    CaseBuilder less(seed++), place(seed++);
    less.node(OpType::kLess, {}, {less.input({2, 5, 7}, types.data), less.input({7}, types.data)});
    check(less.build(std::string(types.name) + " LESS"), false, kExact);
    place.node(OpType::kArgMax, ArgAttr{2}, {place.input({2, 5, 13}, types.data)});
    check(place.build(std::string(types.name) + " ARG_MAX"), false, kExact);
  }
}

// x * logistic(x) after convolutions: a table in their steps. Zero points at the ends of the type.
TEST_F(QuantizedTest, TablesAfterSums) {
  uint64_t seed = 1000;
  const Types kEnds[] = {{"uint8", {DataType::kUInt8, {0.0235f}, 0}, {DataType::kUInt8, {0.06f}, 255}},
                         {"int8", {DataType::kInt8, {0.0391f}, 127}, {DataType::kInt8, {0.05f}, -128}},
                         {"int8 with large factors", {DataType::kInt8, {0.0391f}, 5}, {DataType::kInt8, {2e-5f}, 9}}};
  for (const Types& types : {kTypes[0], kTypes[1], kEnds[0], kEnds[1], kEnds[2]}) {
    const Quantized probability{types.data.type, {1.0f / 256}, types.data.type == DataType::kInt8 ? -128 : 0};
    const auto finish = [&](CaseBuilder& builder, ValueId sums, const std::string& name) {
      const ValueId gate = builder.node(OpType::kLogistic, {}, {sums}, probability);
      builder.node(OpType::kMul, {}, {sums, gate}, types.data);
      check(builder.build(std::string(types.name) + " table after " + name), true, kExact);
    };
    for (const int in : kChannels) {
      const int out = in == 5 ? 17 : 6, size = in == 16 ? 21 : 5, kernel = in == 13 ? 1 : 3;
      CaseBuilder conv(seed++), depthwise(seed++), connected(seed++);
      const ValueId image = conv.input({2, size, size + 2, in}, types.data);
      const ValueId filters = conv.constant({out, kernel, kernel, in}, types.weights(out, 0));
      finish(
          conv,
          conv.node(OpType::kConv2d, Conv2dAttr{}, {image, filters, conv.bias(out)}, types.result, kClamps[seed % 4]),
          "CONV_2D");
      const ValueId planes = depthwise.input({1, 9, 7, in}, types.data);
      const ValueId taps = depthwise.constant({1, 3, 3, in}, types.weights(in, 3));
      finish(depthwise,
             depthwise.node(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{}, {planes, taps, depthwise.bias(in)},
                            types.result),
             "DEPTHWISE_CONV_2D");
      const Quantized one_scale{types.data.type, {0.0071f}, types.data.type == DataType::kUInt8 ? 133 : 0, 0};
      const ValueId rows = connected.input({3, in}, types.data), matrix = connected.constant({out, in}, one_scale);
      finish(connected,
             connected.node(OpType::kFullyConnected, FullyConnectedAttr{}, {rows, matrix, connected.bias(out)},
                            types.result),
             "FULLY_CONNECTED");
    }
    CaseBuilder alone(seed++);
    finish(alone, alone.input({1, 5, 64, 13}, types.result), "an input");
  }
}

// Additions after convolutions, with zero points at the ends of the type, with and without a table between.
TEST_F(QuantizedTest, ResidualsAfterSums) {
  uint64_t seed = 1100;
  const Types kEnds[] = {{"uint8", {DataType::kUInt8, {0.0235f}, 0}, {DataType::kUInt8, {0.031f}, 255}},
                         {"int8", {DataType::kInt8, {0.0391f}, 127}, {DataType::kInt8, {0.047f}, -128}}};
  for (const Types& types : {kTypes[0], kTypes[1], kEnds[0], kEnds[1]}) {
    for (const int in : kChannels) {
      const int out = in == 5 ? 17 : 6, size = in == 16 ? 21 : 7, kernel = in == 13 ? 1 : 3;
      for (const bool table : {false, true}) {
        const auto finish = [&](CaseBuilder& builder, ValueId sums, const std::string& name) {
          if (table) sums = builder.node(OpType::kHardSwish, {}, {sums}, types.data);
          const ValueId other = builder.input(builder.graph().value(sums).shape, types.data);
          const bool first = seed % 2 == 0;
          builder.node(OpType::kAdd, SumAttr{}, first ? std::vector{sums, other} : std::vector{other, sums}, types.data,
                       kClamps[seed % 4]);
          check(builder.build(std::string(types.name) + " residual after " + name), true, kExact);
        };
        CaseBuilder conv(seed++), depthwise(seed++);
        const ValueId image = conv.input({2, size, size + 2, in}, types.data);
        const ValueId filters = conv.constant({out, kernel, kernel, in}, types.weights(out, 0));
        finish(conv,
               conv.node(OpType::kConv2d, Conv2dAttr{}, {image, filters, conv.bias(out)}, types.result,
                         seed % 3 == 0 ? Activation::kRelu : Activation::kNone),
               "CONV_2D");
        DepthwiseConv2dAttr attr;
        attr.stride_h = attr.stride_w = seed % 3 == 0 ? 2 : 1;
        const ValueId planes = depthwise.input({1, 9, 17, in}, types.data);
        const ValueId taps = depthwise.constant({1, 3, 3, in}, types.weights(in, 3));
        finish(depthwise,
               depthwise.node(OpType::kDepthwiseConv2d, attr, {planes, taps, depthwise.bias(in)}, types.result),
               "DEPTHWISE_CONV_2D");
      }
    }
  }
}

// Functions of floats between quantized tensors are steps that convert what they load and store.
TEST_F(QuantizedTest, FunctionsOfFloats) {
  uint64_t seed = 1400;
  for (const Types& types : {kTypes[0], kTypes[1]}) {
    for (const int channels : kChannels) {
      CaseBuilder builder(seed++);
      const auto real = [&](const Shape& shape) {
        return builder.node(OpType::kDequantize, {}, {builder.input(shape, types.data)});
      };
      const ValueId image = real({2, 9, 7, channels}), mean = real({2, 1, 1, channels});
      const ValueId squares = builder.node(OpType::kSquaredDifference, {}, {image, mean});
      const ValueId stored = builder.node(OpType::kQuantize, {}, {squares}, types.data);
      const ValueId again = builder.node(OpType::kDequantize, {}, {stored});
      const ValueId roots = builder.node(OpType::kSqrt, {}, {builder.node(OpType::kAbs, {}, {again})});
      builder.node(OpType::kQuantize, {}, {roots}, types.data);
      check(builder.build(std::string(types.name) + " functions of floats"), true, 1e-4);
    }
  }
}

TEST_F(QuantizedTest, FunctionsOfFloatsNeedNoConversions) {
  CaseBuilder builder(1450);
  const Quantized data = kTypes[1].data;
  const auto product = [&] {
    const ValueId factor = builder.input({1, 9, 7, 5}, data), other = builder.input({1, 9, 7, 5}, data);
    return builder.node(OpType::kDequantize, {}, {builder.node(OpType::kMul, {}, {factor, other}, data)});
  };
  const ValueId difference = builder.node(OpType::kSquaredDifference, {}, {product(), product()});
  builder.node(OpType::kQuantize, {}, {difference}, data);
  const auto model = model_from_graph(builder.build("conversions").graph).value();
  EXPECT_EQ(value_of(build_plan(model, DeviceLimits::typical(), ForcedPlanOptions()))->dispatches(), 3);
}

// Additions to the first channels, of the maximum of 2x2 pixels or not, after convolutions of one pixel and of three.
TEST_F(QuantizedTest, ResidualsOfFirstChannels) {
  uint64_t seed = 1300;
  const Types kNear[] = {{"uint8", {DataType::kUInt8, {0.0235f}, 128}, {DataType::kUInt8, {0.031f}, 97}},
                         {"int8", {DataType::kInt8, {0.0391f}, -7}, {DataType::kInt8, {0.047f}, 11}}};
  for (const Types& types : kNear) {
    for (const int in : kChannels) {
      for (const bool maximum : {false, true}) {
        for (const int kernel : {1, 3}) {
          CaseBuilder builder(seed++);
          const int out = in + 5, size = in == 16 ? 21 : 6;
          const ValueId image = builder.input({2, size + kernel - 1, 7 + kernel - 1, in}, types.data);
          const ValueId filters = builder.constant({out, kernel, kernel, in}, types.weights(out, 0));
          const ValueId sums =
              builder.node(OpType::kConv2d, Conv2dAttr{}, {image, filters, builder.bias(out)}, types.result);
          ValueId other = builder.input({2, maximum ? 2 * size : size, maximum ? 15 : 7, in}, types.data);
          if (maximum) other = builder.node(OpType::kMaxPool2d, Pool2dAttr{{}, 2, 2, 2, 2}, {other}, types.data);
          other = builder.node(OpType::kPad, PadAttr{{}, {0, 0, 0, 5}}, {other}, types.data);
          builder.node(OpType::kAdd, SumAttr{}, {sums, other}, types.data, kClamps[seed % 4]);
          check(builder.build(std::string(types.name) + " residual of first channels"), true, kExact);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sightglass::test
