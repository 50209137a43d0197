// LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM. The states are inputs and outputs of these graphs. LSTM of integers must match
// the reference exactly.
#include "graph/lstm.h"

#include <cmath>

#include "ops/op_test.h"

namespace sightglass::test {
namespace {

struct Layer {
  int32_t batch = 1, time = 0, depth = 3, cells = 4;  // time 0: no sequence
  int32_t outputs = 0;                                // 0: without projection
  bool time_major = false, coupled = false, peephole = false, norm = false, projection_bias = true;
  Activation activation = Activation::kTanh;
  float cell_clip = 0, projection_clip = 0;
  bool integers = false;  // For these:
  int cell_exponent = -11;
  float weight_scale = 0.008f;
  int64_t zero_point = 0;  // of data, hidden state, and outputs

  std::string name() const {
    return std::string(integers ? "LSTM of integers" : "LSTM") + " batch " + std::to_string(batch) + " time " +
           std::to_string(time) + " depth " + std::to_string(depth) + " cells " + std::to_string(cells) + " outputs " +
           std::to_string(outputs) + (integers ? " 2^" + std::to_string(cell_exponent) : "") +
           (time_major ? " time-major" : "") + (coupled ? " coupled" : "") + (peephole ? " peephole" : "") +
           (norm ? " norm" : "");
  }
};

OpCase lstm_case(const Layer& l, uint64_t seed) {
  CaseBuilder builder(seed);
  const Quantized of_data{DataType::kInt8, {0.031f}, l.zero_point - 3},
      hidden{DataType::kInt8, {0.0077f}, l.zero_point};
  const Quantized weights{DataType::kInt8, {l.weight_scale}}, narrow{DataType::kInt16, {3e-5f}};
  const Quantized cells{DataType::kInt16, {std::ldexp(1.0f, l.cell_exponent)}};
  const auto input = [&](const Shape& shape, const Quantized& quantized) {
    return l.integers ? builder.input(shape, quantized) : builder.input(shape);
  };
  const auto constant = [&](const Shape& shape, const Quantized& quantized) {
    return l.integers ? builder.constant(shape, quantized) : builder.constant(shape);
  };
  const auto bias = [&](int32_t count) { return l.integers ? builder.bias(count) : builder.constant({count}); };
  const int32_t outputs = l.outputs > 0 ? l.outputs : l.cells;
  const Shape data = l.time == 0    ? Shape{l.batch, l.depth}
                     : l.time_major ? Shape{l.time, l.batch, l.depth}
                                    : Shape{l.batch, l.time, l.depth};
  std::vector<ValueId> inputs(lstm::kInputs, kNone);
  inputs[lstm::kData] = input(data, of_data);
  for (size_t gate = l.coupled ? 1 : 0; gate < lstm::kGates; ++gate) {
    inputs[lstm::kInputWeights + gate] = constant({l.cells, l.depth}, weights);
    inputs[lstm::kRecurrentWeights + gate] = constant({l.cells, outputs}, weights);
    inputs[lstm::kBias + gate] = bias(l.cells);
    if (l.norm) inputs[lstm::kNorm + gate] = builder.constant({l.cells});
  }
  for (size_t i = l.coupled ? 1 : 0; l.peephole && i < 3; ++i) {
    inputs[lstm::kPeephole + i] = constant({l.cells}, narrow);
  }
  if (l.outputs > 0) {
    inputs[lstm::kProjection] = constant({l.outputs, l.cells}, weights);
    if (l.projection_bias) inputs[lstm::kProjectionBias] = bias(l.outputs);
  }
  inputs[lstm::kHidden] = input({l.batch, outputs}, hidden);
  inputs[lstm::kCell] = input({l.batch, l.cells}, cells);
  LstmAttr attr;
  attr.time_major = l.time_major;
  attr.activation = l.activation;
  attr.cell_clip = l.cell_clip;
  attr.projection_clip = l.projection_clip;
  if (l.integers) {
    attr.made_scale = l.outputs > 0 ? 0.0061f : 0.0077f;
    attr.made_zero_point = static_cast<int32_t>(l.outputs > 0 ? l.zero_point + 9 : l.zero_point);
    builder.node_with(OpType::kLstm, attr, inputs, {hidden, hidden, cells});
  } else {
    builder.node_with(OpType::kLstm, attr, inputs, 3);
  }
  return builder.build(l.name());
}

// Of real numbers, and of integers, which must match the reference exactly.
class LstmTest : public OpTest {
 protected:
  void check_layer(const Layer& layer, uint64_t seed) {
    check(lstm_case(layer, seed), layer.integers, layer.integers ? kExact : 1e-9);
  }
};

TEST_F(LstmTest, OneStep) {
  uint64_t seed = 1;
  for (const bool integers : {false, true}) {
    for (const int32_t cells : {1, 3, 4, 5, 13, 16, 70}) {
      for (const int32_t depth : {1, 4, 7}) {
        for (const int32_t batch : {1, 3}) {
          check_layer(
              {.batch = batch, .depth = depth, .cells = cells, .integers = integers, .zero_point = cells % 9 - 4},
              seed++);
        }
      }
    }
  }
}

TEST_F(LstmTest, Sequences) {
  uint64_t seed = 100;
  for (const bool integers : {false, true}) {
    for (const bool time_major : {false, true}) {
      for (const int32_t batch : {1, 2, 5}) {
        for (const int32_t time : {1, 2, 9}) {
          check_layer(
              {.batch = batch, .time = time, .depth = 5, .cells = 6, .time_major = time_major, .integers = integers},
              seed++);
        }
      }
    }
  }
}

TEST_F(LstmTest, EveryOption) {
  uint64_t seed = 200;
  for (int bits = 0; bits < 24; ++bits) {
    Layer layer{.batch = 2, .time = 4, .depth = 3, .cells = 9, .integers = bits >= 16, .zero_point = 5};
    layer.coupled = (bits & 1) != 0;
    layer.peephole = (bits & 2) != 0;
    layer.outputs = (bits & 4) != 0 ? 5 : 0;
    layer.norm = (bits & 8) != 0;  // only of real numbers
    layer.projection_bias = (bits & 2) != 0;
    check_layer(layer, seed++);
    layer.cell_clip = 0.5f;
    layer.projection_clip = 0.25f;
    if (!layer.integers) layer.activation = (bits & 1) != 0 ? Activation::kRelu6 : Activation::kLogistic;
    check_layer(layer, seed++);
  }
}

// Sums beyond 16 bits, cells beyond their range, tanh of every number of bits, zero points at the limits of the type.
TEST_F(LstmTest, IntegersSaturateLikeTheReference) {
  uint64_t seed = 300;
  for (int exponent = -15; exponent <= -9; ++exponent) {
    for (const float weight_scale : {0.0001f, 0.03f, 3.0f}) {
      for (const int64_t zero_point : {-125, 0, 118}) {
        Layer layer{.time = 5, .depth = 8, .cells = 8, .integers = true, .cell_exponent = exponent};
        layer.peephole = seed % 2 == 0;
        layer.weight_scale = weight_scale;
        layer.zero_point = zero_point;
        check_layer(layer, seed++);
      }
    }
  }
}

TEST_F(LstmTest, MoreCellsThanOneWorkGroup) {
  check_layer({.batch = 2, .time = 3, .depth = 8, .cells = 300}, 300);
  for (const int32_t cells : {33, 64, 250, 280}) {
    check_layer({.time = 2, .depth = 8, .cells = cells, .norm = true}, static_cast<uint64_t>(310 + cells));
  }
  check_layer({.time = 2, .depth = 8, .cells = 280, .outputs = 261, .peephole = true, .norm = true}, 301);
  check_layer({.time = 2, .depth = 8, .cells = 700, .outputs = 6}, 302);
  check_layer({.time = 2, .depth = 8, .cells = 1024}, 303);
  check_layer({.batch = 2, .time = 3, .depth = 8, .cells = 300, .integers = true}, 400);
  check_layer({.time = 2, .depth = 300, .cells = 280, .outputs = 261, .peephole = true, .integers = true}, 401);
  // More than 32-bit floats can sum exactly.
  check_layer({.time = 2, .depth = 8, .cells = 1024, .integers = true}, 402);
}

// More loop iterations than a device may make at once: the time steps are spread over several dispatches.
TEST_F(LstmTest, LongSequences) {
  check_layer({.batch = 2, .time = 5000, .depth = 2, .cells = 4}, 310);
  check_layer({.time = 400, .depth = 2, .cells = 24, .outputs = 40, .norm = true}, 311);
  check_layer({.batch = 2, .time = 2000, .depth = 2, .cells = 4, .integers = true}, 500);
}

TEST_F(LstmTest, Basic) {
  uint64_t seed = 400;
  for (const int32_t cells : {1, 3, 4, 13}) {
    for (const int32_t batch : {1, 3}) {
      CaseBuilder builder(seed++);
      const int32_t depth = 5;
      LstmAttr attr;
      attr.basic = true;
      const ValueId data = builder.input({batch, depth}), hidden = builder.input({batch, cells});
      const ValueId weights = builder.constant({4 * cells, depth + cells}), bias = builder.constant({4 * cells});
      const ValueId cell = builder.input({batch, cells});
      builder.node_with(OpType::kLstm, attr, {data, hidden, weights, bias, cell}, 3);
      check(builder.build("basic LSTM batch " + std::to_string(batch) + " cells " + std::to_string(cells)));
    }
  }
}

}  // namespace
}  // namespace sightglass::test
