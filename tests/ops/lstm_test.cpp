// LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM. The states are inputs and outputs of these graphs.
#include "graph/lstm.h"

#include "ops/op_test.h"

namespace sightglass::test {
namespace {

using LstmTest = OpTest;

struct Layer {
  int32_t batch = 1, time = 0, depth = 3, cells = 4;  // time 0: no sequence
  int32_t outputs = 0;                                // 0: without projection
  bool time_major = false, coupled = false, peephole = false, norm = false, projection_bias = true;
  Activation activation = Activation::kTanh;
  float cell_clip = 0, projection_clip = 0;
};

std::string name_of(const Layer& l) {
  return "LSTM batch " + std::to_string(l.batch) + " time " + std::to_string(l.time) + " depth " +
         std::to_string(l.depth) + " cells " + std::to_string(l.cells) + " outputs " + std::to_string(l.outputs) +
         (l.time_major ? " time-major" : "") + (l.coupled ? " coupled" : "") + (l.peephole ? " peephole" : "") +
         (l.norm ? " norm" : "");
}

OpCase lstm_case(const Layer& l, uint64_t seed) {
  CaseBuilder builder(seed);
  const int32_t outputs = l.outputs > 0 ? l.outputs : l.cells;
  const Shape data = l.time == 0    ? Shape{l.batch, l.depth}
                     : l.time_major ? Shape{l.time, l.batch, l.depth}
                                    : Shape{l.batch, l.time, l.depth};
  std::vector<ValueId> inputs(lstm::kInputs, kNone);
  inputs[lstm::kData] = builder.input(data);
  for (size_t gate = l.coupled ? 1 : 0; gate < lstm::kGates; ++gate) {
    inputs[lstm::kInputWeights + gate] = builder.constant({l.cells, l.depth});
    inputs[lstm::kRecurrentWeights + gate] = builder.constant({l.cells, outputs});
    inputs[lstm::kBias + gate] = builder.constant({l.cells});
    if (l.norm) inputs[lstm::kNorm + gate] = builder.constant({l.cells});
  }
  for (size_t i = l.coupled ? 1 : 0; l.peephole && i < 3; ++i) {
    inputs[lstm::kPeephole + i] = builder.constant({l.cells});
  }
  if (l.outputs > 0) {
    inputs[lstm::kProjection] = builder.constant({l.outputs, l.cells});
    if (l.projection_bias) inputs[lstm::kProjectionBias] = builder.constant({l.outputs});
  }
  inputs[lstm::kHidden] = builder.input({l.batch, outputs});
  inputs[lstm::kCell] = builder.input({l.batch, l.cells});
  LstmAttr attr;
  attr.time_major = l.time_major;
  attr.activation = l.activation;
  attr.cell_clip = l.cell_clip;
  attr.projection_clip = l.projection_clip;
  builder.node_with(OpType::kLstm, attr, inputs, 3);
  return builder.build(name_of(l));
}

TEST_F(LstmTest, OneStep) {
  uint64_t seed = 1;
  for (const int32_t cells : {1, 3, 4, 5, 13, 16, 70}) {
    for (const int32_t depth : {1, 4, 7}) {
      for (const int32_t batch : {1, 3}) check(lstm_case({.batch = batch, .depth = depth, .cells = cells}, seed++));
    }
  }
}

TEST_F(LstmTest, Sequences) {
  uint64_t seed = 100;
  for (const bool time_major : {false, true}) {
    for (const int32_t batch : {1, 2, 5}) {
      for (const int32_t time : {1, 2, 9}) {
        check(lstm_case({.batch = batch, .time = time, .depth = 5, .cells = 6, .time_major = time_major}, seed++));
      }
    }
  }
}

TEST_F(LstmTest, EveryOption) {
  uint64_t seed = 200;
  for (int bits = 0; bits < 16; ++bits) {
    Layer layer{.batch = 2, .time = 4, .depth = 3, .cells = 9};
    layer.coupled = (bits & 1) != 0;
    layer.peephole = (bits & 2) != 0;
    layer.norm = (bits & 4) != 0;
    layer.outputs = (bits & 8) != 0 ? 5 : 0;
    layer.projection_bias = (bits & 2) != 0;
    check(lstm_case(layer, seed++));
    layer.cell_clip = 0.5f;
    layer.projection_clip = 0.25f;
    layer.activation = (bits & 1) != 0 ? Activation::kRelu6 : Activation::kLogistic;
    check(lstm_case(layer, seed++));
  }
}

TEST_F(LstmTest, MoreCellsThanOneWorkGroup) {
  check(lstm_case({.batch = 2, .time = 3, .depth = 8, .cells = 300}, 300));
  for (const int32_t cells : {33, 64, 250, 280}) {
    check(lstm_case({.time = 2, .depth = 8, .cells = cells, .norm = true}, static_cast<uint64_t>(310 + cells)));
  }
  check(lstm_case({.time = 2, .depth = 8, .cells = 280, .outputs = 261, .peephole = true, .norm = true}, 301));
  check(lstm_case({.time = 2, .depth = 8, .cells = 700, .outputs = 6}, 302));
  check(lstm_case({.time = 2, .depth = 8, .cells = 1024}, 303));
}

// More loop iterations than a device may make at once: the time steps are spread over several dispatches.
TEST_F(LstmTest, LongSequences) {
  check(lstm_case({.batch = 2, .time = 5000, .depth = 2, .cells = 4}, 310));
  check(lstm_case({.time = 400, .depth = 2, .cells = 24, .outputs = 40, .norm = true}, 311));
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
