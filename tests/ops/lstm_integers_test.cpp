// Integer LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM, which must match the reference exactly. The states are inputs and
// outputs of these graphs.
#include "graph/lstm.h"
#include "ops/op_test.h"

namespace sightglass::test {
namespace {

using LstmIntegersTest = OpTest;

struct IntegerLayer {
  int32_t batch = 1, time = 0, depth = 3, cells = 4;  // time 0: no sequence
  int32_t outputs = 0;                                // 0: without projection
  bool time_major = false, coupled = false, peephole = false, projection_bias = true;
  float cell_clip = 0, projection_clip = 0;
  int cell_exponent = -11;
  float weight_scale = 0.008f;
  int64_t zero_point = 0;  // of data, hidden state, and outputs
};

std::string name_of(const IntegerLayer& l) {
  return "LSTM of integers, batch " + std::to_string(l.batch) + " time " + std::to_string(l.time) + " depth " +
         std::to_string(l.depth) + " cells " + std::to_string(l.cells) + " outputs " + std::to_string(l.outputs) +
         " 2^" + std::to_string(l.cell_exponent) + (l.time_major ? " time-major" : "") + (l.coupled ? " coupled" : "") +
         (l.peephole ? " peephole" : "");
}

OpCase integer_lstm_case(const IntegerLayer& l, uint64_t seed) {
  CaseBuilder builder(seed);
  const int32_t outputs = l.outputs > 0 ? l.outputs : l.cells;
  const Shape data = l.time == 0    ? Shape{l.batch, l.depth}
                     : l.time_major ? Shape{l.time, l.batch, l.depth}
                                    : Shape{l.batch, l.time, l.depth};
  const Quantized hidden{DataType::kInt8, {0.0077f}, l.zero_point};
  const Quantized weights{DataType::kInt8, {l.weight_scale}}, narrow{DataType::kInt16, {3e-5f}};
  const Quantized cells{DataType::kInt16, {std::ldexp(1.0f, l.cell_exponent)}};
  std::vector<ValueId> inputs(lstm::kInputs, kNone);
  inputs[lstm::kData] = builder.input(data, Quantized{DataType::kInt8, {0.031f}, l.zero_point - 3});
  for (size_t gate = l.coupled ? 1 : 0; gate < lstm::kGates; ++gate) {
    inputs[lstm::kInputWeights + gate] = builder.constant({l.cells, l.depth}, weights);
    inputs[lstm::kRecurrentWeights + gate] = builder.constant({l.cells, outputs}, weights);
    inputs[lstm::kBias + gate] = builder.bias(l.cells);
  }
  for (size_t i = l.coupled ? 1 : 0; l.peephole && i < 3; ++i) {
    inputs[lstm::kPeephole + i] = builder.constant({l.cells}, narrow);
  }
  if (l.outputs > 0) {
    inputs[lstm::kProjection] = builder.constant({l.outputs, l.cells}, weights);
    if (l.projection_bias) inputs[lstm::kProjectionBias] = builder.bias(l.outputs);
  }
  inputs[lstm::kHidden] = builder.input({l.batch, outputs}, hidden);
  inputs[lstm::kCell] = builder.input({l.batch, l.cells}, cells);
  LstmAttr attr;
  attr.time_major = l.time_major;
  attr.cell_clip = l.cell_clip;
  attr.projection_clip = l.projection_clip;
  attr.made_scale = l.outputs > 0 ? 0.0061f : 0.0077f;
  attr.made_zero_point = static_cast<int32_t>(l.outputs > 0 ? l.zero_point + 9 : l.zero_point);
  builder.node_with(OpType::kLstm, attr, inputs, {hidden, hidden, cells});
  return builder.build(name_of(l));
}

TEST_F(LstmIntegersTest, OneStep) {
  uint64_t seed = 1;
  for (const int32_t cells : {1, 3, 4, 5, 13, 16, 70}) {
    for (const int32_t depth : {1, 4, 7}) {
      for (const int32_t batch : {1, 3}) {
        check(integer_lstm_case({.batch = batch, .depth = depth, .cells = cells, .zero_point = cells % 9 - 4}, seed++),
              true, kExact);
      }
    }
  }
}

TEST_F(LstmIntegersTest, Sequences) {
  uint64_t seed = 100;
  for (const bool time_major : {false, true}) {
    for (const int32_t batch : {1, 2, 5}) {
      for (const int32_t time : {1, 2, 9}) {
        check(
            integer_lstm_case({.batch = batch, .time = time, .depth = 5, .cells = 6, .time_major = time_major}, seed++),
            true, kExact);
      }
    }
  }
}

TEST_F(LstmIntegersTest, EveryOption) {
  uint64_t seed = 200;
  for (int bits = 0; bits < 8; ++bits) {
    IntegerLayer layer{.batch = 2, .time = 4, .depth = 3, .cells = 9, .zero_point = 5};
    layer.coupled = (bits & 1) != 0;
    layer.peephole = (bits & 2) != 0;
    layer.outputs = (bits & 4) != 0 ? 5 : 0;
    layer.projection_bias = (bits & 2) != 0;
    check(integer_lstm_case(layer, seed++), true, kExact);
    layer.cell_clip = 0.5f;
    layer.projection_clip = 0.25f;
    check(integer_lstm_case(layer, seed++), true, kExact);
  }
}

// Sums beyond 16 bits, cells beyond their range, tanh of every number of bits, zero points at the limits of the type.
TEST_F(LstmIntegersTest, SaturatesLikeTheReference) {
  uint64_t seed = 300;
  for (int exponent = -15; exponent <= -9; ++exponent) {
    for (const float weight_scale : {0.0001f, 0.03f, 3.0f}) {
      for (const int64_t zero_point : {-125, 0, 118}) {
        check(integer_lstm_case({.time = 5,
                                 .depth = 8,
                                 .cells = 8,
                                 .peephole = seed % 2 == 0,
                                 .cell_exponent = exponent,
                                 .weight_scale = weight_scale,
                                 .zero_point = zero_point},
                                seed++),
              true, kExact);
      }
    }
  }
}

TEST_F(LstmIntegersTest, MoreCellsThanOneWorkGroup) {
  check(integer_lstm_case({.batch = 2, .time = 3, .depth = 8, .cells = 300}, 400), true, kExact);
  check(integer_lstm_case({.time = 2, .depth = 300, .cells = 280, .outputs = 261, .peephole = true}, 401), true,
        kExact);
  check(integer_lstm_case({.time = 2, .depth = 8, .cells = 1024}, 402), true,
        kExact);  // more than 32-bit floats can sum exactly
}

// More loop iterations than a device may make at once: the time steps are spread over several dispatches.
TEST_F(LstmIntegersTest, LongSequences) {
  check(integer_lstm_case({.batch = 2, .time = 2000, .depth = 2, .cells = 4}, 500), true, kExact);
}

}  // namespace
}  // namespace sightglass::test
