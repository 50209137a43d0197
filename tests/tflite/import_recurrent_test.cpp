// Operators with a state: how they become nodes, and how they are rejected.
#include <algorithm>
#include <functional>
#include <utility>

#include "graph/lstm.h"
#include "harness/value_of.h"
#include "import_test.h"
#include "ref/ref_ops.h"

namespace sightglass::test {
namespace {

using B = schema::BuiltinOperator;

schema::UnidirectionalSequenceLSTMOptionsT sequence_options(bool time_major = false) {
  schema::UnidirectionalSequenceLSTMOptionsT options;
  options.fused_activation_function = schema::ActivationFunctionType::TANH;
  options.cell_clip = 10;
  options.time_major = time_major;
  return options;
}

schema::LSTMOptionsT lstm_options(schema::LSTMKernelType kind = schema::LSTMKernelType::FULL) {
  schema::LSTMOptionsT options;
  options.fused_activation_function = schema::ActivationFunctionType::TANH;
  options.kernel_type = kind;
  return options;
}

int add_variable(ModelBuilder& builder, const Dims& dims) {
  const int tensor = builder.add_tensor(dims);
  builder.tensor(tensor).is_variable = true;
  return tensor;
}

// The inputs of a full LSTM with 3 values and 2 cells.
std::vector<int32_t> full_inputs(ModelBuilder& builder, const Dims& data, int32_t batch, size_t count = 24) {
  std::vector<int32_t> inputs(count, -1);
  inputs[lstm::kData] = builder.add_input(data);
  for (size_t gate = 0; gate < lstm::kGates; ++gate) {
    inputs[lstm::kInputWeights + gate] = builder.add_filled({2, 3}, 0.5f);
    inputs[lstm::kRecurrentWeights + gate] = builder.add_filled({2, 2}, 0.25f);
    inputs[lstm::kBias + gate] = builder.add_filled({2}, 0.125f);
  }
  inputs[lstm::kHidden] = add_variable(builder, {batch, 2});
  inputs[lstm::kCell] = add_variable(builder, {batch, 2});
  return inputs;
}

ModelBuilder sequence_model(const std::function<void(ModelBuilder&, std::vector<int32_t>&)>& change = {}) {
  ModelBuilder builder;
  std::vector<int32_t> inputs = full_inputs(builder, {4, 5, 3}, 4);
  if (change) change(builder, inputs);
  builder.add_output(builder.add_op(B::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {4, 5, 2}, sequence_options(), "made"));
  return builder;
}

TEST(ImportRecurrent, ASequence) {
  const Graph graph = imported(sequence_model());
  ASSERT_EQ(graph.order().size(), 1u);
  const Node& node = graph.node(graph.order()[0]);
  EXPECT_EQ(node.op, OpType::kLstm);
  EXPECT_EQ(node.inputs.size(), 24u);
  ASSERT_EQ(node.outputs.size(), 3u);
  EXPECT_EQ(graph.value(node.outputs[0]).shape, (Shape{4, 5, 2}));
  const auto& attr = std::get<LstmAttr>(node.attributes);
  EXPECT_FALSE(attr.basic || attr.time_major);
  EXPECT_EQ(attr.cell_clip, 10);
  ASSERT_EQ(graph.states.size(), 2u);
  EXPECT_EQ(graph.states[0].input, node.inputs[lstm::kHidden]);
  EXPECT_EQ(graph.states[0].output, node.outputs[1]);
  EXPECT_EQ(graph.states[1].output, node.outputs[2]);
  EXPECT_EQ(graph.inputs.size(), 1u);
}

TEST(ImportRecurrent, TimeFirstAndTwentyInputs) {
  ModelBuilder builder;
  const std::vector<int32_t> inputs = full_inputs(builder, {5, 4, 3}, 4, 20);
  builder.add_output(builder.add_op(B::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {5, 4, 2}, sequence_options(true)));
  const Graph graph = imported(builder);
  EXPECT_TRUE(std::get<LstmAttr>(graph.node(graph.order()[0]).attributes).time_major);
}

TEST(ImportRecurrent, OneStep) {
  ModelBuilder builder;
  const std::vector<int32_t> inputs = full_inputs(builder, {4, 3}, 4);
  builder.add_output(builder.add_op(B::LSTM, inputs, {}, lstm_options()));
  const Graph graph = imported(builder);
  EXPECT_EQ(graph.value(graph.outputs[0]).shape, (Shape{4, 2}));
}

// Two consecutive layers that share only the operator.
TEST(ImportRecurrent, EveryLayerHasItsOwnStates) {
  ModelBuilder builder;
  std::vector<int32_t> inputs = full_inputs(builder, {1, 5, 3}, 1);
  const int first = builder.add_op(B::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {1, 5, 2}, sequence_options());
  for (size_t gate = 0; gate < lstm::kGates; ++gate) {
    inputs[lstm::kInputWeights + gate] = inputs[lstm::kRecurrentWeights + gate];
  }
  inputs[lstm::kData] = first;
  inputs[lstm::kHidden] = add_variable(builder, {1, 2});
  inputs[lstm::kCell] = add_variable(builder, {1, 2});
  builder.add_output(builder.add_op(B::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {1, 5, 2}, sequence_options()));
  EXPECT_EQ(imported(builder).states.size(), 4u);
}

ModelBuilder basic_model(int extra_outputs = 3) {
  ModelBuilder builder;
  const int data = builder.add_input({4, 3}), hidden = add_variable(builder, {4, 2});
  const int weights = builder.add_filled({8, 5}, 0.5f), bias = builder.add_filled({8}, 0.25f);
  const int cell = add_variable(builder, {4, 2});
  const std::vector<int32_t> inputs{data, hidden, weights, bias, cell};
  builder.add_output(builder.add_op(B::LSTM, inputs, {4, 2}, lstm_options(schema::LSTMKernelType::BASIC)));
  for (const Dims& dims : std::vector<Dims>{{4, 2}, {4, 5}, {4, 8}}) {
    if (extra_outputs-- > 0) builder.last_op().outputs.push_back(builder.add_tensor(dims));
  }
  return builder;
}

TEST(ImportRecurrent, BasicLstm) {
  ModelBuilder builder = basic_model();
  builder.add_output(builder.last_op().outputs[1]);
  const Graph graph = imported(builder);
  const Node& node = graph.node(graph.order()[0]);
  EXPECT_TRUE(std::get<LstmAttr>(node.attributes).basic);
  ASSERT_EQ(graph.states.size(), 2u);
  EXPECT_EQ(graph.states[0].output, node.outputs[1]);
  EXPECT_EQ(graph.states[1].output, node.outputs[2]);
  EXPECT_EQ(graph.outputs[1], node.outputs[2]);
}

TEST(ImportRecurrent, BasicLstmScratchIsNotAnInput) {
  ModelBuilder builder = basic_model();
  builder.add_output(builder.last_op().outputs[2]);
  expect_refused(builder, ErrorCode::kInvalidModel, {"model output 1", "is never written"});
}

TEST(ImportRecurrent, WrongBasicLstms) {
  expect_refused(basic_model(2), ErrorCode::kInvalidModel, {"LSTM #0", "5 inputs and 4 outputs, not 5 and 3"});
  ModelBuilder clips = basic_model();
  clips.last_op().builtin_options.AsLSTMOptions()->cell_clip = 1;
  expect_refused(clips, ErrorCode::kInvalidModel, {"must have the activation TANH and no clipping"});
}

// An integer LSTM with 3 values and 2 cells, as the TensorFlow converter writes it.
ModelBuilder integer_model(const std::function<void(ModelBuilder&, std::vector<int32_t>&)>& change = {}) {
  ModelBuilder builder;
  const auto quantized = [&builder](int tensor, schema::TensorType type, float scale, int64_t zero_point = 0) {
    schema::TensorT& t = builder.tensor(tensor);
    t.type = type;
    t.quantization = std::make_unique<schema::QuantizationParametersT>();
    t.quantization->scale = {scale};
    t.quantization->zero_point = {zero_point};
    return tensor;
  };
  const auto bytes = [&](const Dims& dims, size_t count) {
    return quantized(builder.add_bytes(dims, schema::TensorType::INT8, std::vector<uint8_t>(count, 3)),
                     schema::TensorType::INT8, 0.02f);
  };
  std::vector<int32_t> inputs(24, -1);
  inputs[lstm::kData] = quantized(builder.add_input({1, 5, 3}), schema::TensorType::INT8, 0.1f, -128);
  for (size_t gate = 0; gate < lstm::kGates; ++gate) {
    inputs[lstm::kInputWeights + gate] = bytes({2, 3}, 6);
    inputs[lstm::kRecurrentWeights + gate] = bytes({2, 2}, 4);
    inputs[lstm::kBias + gate] = builder.add_ints({2}, {5, 6});
  }
  inputs[lstm::kHidden] = quantized(add_variable(builder, {1, 2}), schema::TensorType::INT8, 0.0078f, -4);
  inputs[lstm::kCell] = quantized(add_variable(builder, {1, 2}), schema::TensorType::INT16, 0x1p-11f);
  std::vector<int32_t> intermediates;
  for (int i = 0; i < 4; ++i) intermediates.push_back(builder.add_tensor({}));
  intermediates.push_back(quantized(builder.add_tensor({}), schema::TensorType::INT8, 0.0078f, -4));
  if (change) change(builder, inputs);
  builder.add_output(builder.add_op(B::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {1, 5, 2}, sequence_options(), "made"));
  quantized(builder.last_op().outputs[0], schema::TensorType::INT8, 0.0078f, -4);
  builder.last_op().intermediates = intermediates;
  return builder;
}

TEST(ImportRecurrent, IntegersKeepIntegerStates) {
  const Graph graph = imported(integer_model());
  ASSERT_EQ(graph.states.size(), 2u);
  EXPECT_EQ(graph.value(graph.states[0].input).type, DataType::kInt8);
  for (const ValueId cell : {graph.states[1].input, graph.states[1].output}) {
    EXPECT_EQ(graph.value(cell).type, DataType::kInt16);
    EXPECT_EQ(graph.value(cell).quantization.scale, std::vector<float>{0x1p-11f});
  }
  const auto& attr = std::get<LstmAttr>(graph.node(graph.order()[0]).attributes);
  EXPECT_EQ(attr.made_scale, 0.0078f);
  EXPECT_EQ(attr.made_zero_point, -4);
}

TEST(ImportRecurrent, WrongIntegers) {
  const auto refused = [](const std::function<void(ModelBuilder&, std::vector<int32_t>&)>& change,
                          const std::vector<std::string>& parts) {
    expect_refused(integer_model(change), ErrorCode::kUnsupported, parts);
  };
  refused([](auto& b, auto& inputs) { b.tensor(inputs[lstm::kCell]).type = schema::TensorType::FLOAT32; },
          {"UNIDIRECTIONAL_SEQUENCE_LSTM #0", "is int8; data and states are all float32, or int8 with cells of int16"});
  refused([](auto& b, auto& inputs) { b.tensor(inputs[lstm::kCell]).quantization->scale = {0.0007f}; },
          {"not a power of two"});
  refused([](auto& b, auto& inputs) { b.tensor(inputs[lstm::kInputWeights + 1]).quantization->scale.clear(); },
          {"UNIDIRECTIONAL_SEQUENCE_LSTM #0", "takes one scale"});
  refused([](auto& b, auto& inputs) { b.tensor(inputs[lstm::kData]).type = schema::TensorType::INT16; },
          {"is int16, not int8"});
  ModelBuilder few = integer_model();
  few.last_op().intermediates.pop_back();
  expect_refused(few, ErrorCode::kUnsupported, {"4 intermediate tensors, not 5"});
  ModelBuilder nameless = integer_model();
  nameless.tensor(nameless.last_op().intermediates[4]).quantization.reset();
  expect_refused(nameless, ErrorCode::kInvalidModel, {"intermediate tensor 4 has no single scale"});
}

TEST(ImportRecurrent, WrongOperands) {
  const auto refused = [](const std::function<void(ModelBuilder&, std::vector<int32_t>&)>& change,
                          const std::vector<std::string>& parts) {
    expect_refused(sequence_model(change), ErrorCode::kInvalidModel, parts);
  };
  refused([](auto&, auto& inputs) { inputs.resize(22); }, {"it has 22 inputs, not 20 or 24"});
  refused([](auto&, auto& inputs) { inputs[lstm::kHidden] = -1; }, {"input 18 is absent"});
  refused([](auto& b, auto& inputs) { b.tensor(inputs[lstm::kCell]).is_variable = false; }, {"before any operator"});
  refused([](auto& b, auto& inputs) { b.tensor(inputs[lstm::kCell]).type = schema::TensorType::INT32; },
          {"its state, is int32"});
  refused([](auto& b, auto& inputs) { b.tensor(inputs[lstm::kCell]).type = schema::TensorType::INT8; },
          {"input 19, its state, is int8 with 0 scales instead of one"});
  refused(
      [](auto& b, auto& inputs) {
        inputs[lstm::kCell] = b.add_filled({4, 2}, 0);
      },
      {"input 19, its state, is not a variable tensor"});
  refused([](auto& b, auto& inputs) { inputs[lstm::kCell] = add_variable(b, {3, 2}); }, {"do not have the batch"});
  refused([](auto& b, auto& inputs) { inputs[lstm::kCell] = add_variable(b, {4, 2, 1}); }, {"states need two"});
  refused(
      [](auto& b, auto& inputs) {
        inputs[lstm::kInputWeights + 2] = b.add_filled({2, 4}, 0);
      },
      {"of shape 2x4 should be 2x3"});
  refused([](auto&, auto& inputs) { inputs[lstm::kInputWeights] = -1; }, {"its input gate has some of its operands"});
  refused([](auto&, auto& inputs) { inputs[lstm::kBias + 1] = -1; }, {"input 13 is missing"});
  refused([](auto& b, auto& inputs) { inputs[lstm::kPeephole + 1] = b.add_filled({2}, 0); }, {"peephole weights"});
  refused([](auto& b, auto& inputs) { inputs[lstm::kNorm] = b.add_filled({2}, 0); }, {"layer normalization factors"});
  refused([](auto& b, auto& inputs) { inputs[lstm::kProjectionBias] = b.add_filled({2}, 0); }, {"but no projection"});
  refused([](auto& b, auto& inputs) { inputs[lstm::kProjection] = b.add_filled({3, 2}, 0); }, {"should be 2x2"});
  refused([](auto& b, auto& inputs) { inputs[lstm::kData] = b.add_input({4, 3}); }, {"its data needs three"});
}

TEST(ImportRecurrent, WrongOptions) {
  ModelBuilder clip = sequence_model();
  clip.last_op().builtin_options.AsUnidirectionalSequenceLSTMOptions()->cell_clip = -1;
  expect_refused(clip, ErrorCode::kInvalidModel, {"clip of the cells"});
  ModelBuilder diagonal = sequence_model();
  diagonal.last_op().builtin_options.AsUnidirectionalSequenceLSTMOptions()->diagonal_recurrent_tensors = true;
  expect_refused(diagonal, ErrorCode::kUnsupported, {"diagonals", "full matrices"});
}

// 3 values, 4 filters of 3 times, rank 2, 2 units.
ModelBuilder svdf_model(const std::function<void(ModelBuilder&, std::vector<int32_t>&)>& change = {}) {
  ModelBuilder builder;
  std::vector<float> filters(12), times(12);
  for (size_t i = 0; i < 12; ++i) {
    filters[i] = static_cast<float>(i % 5) - 2;
    times[i] = static_cast<float>(i % 7) / 2 - 1;
  }
  std::vector<int32_t> inputs{builder.add_input({2, 3}), builder.add_floats({4, 3}, filters),
                              builder.add_floats({4, 3}, times, "times"), builder.add_floats({2}, {1, -1}),
                              add_variable(builder, {2, 12})};
  schema::SVDFOptionsT options;
  options.rank = 2;
  options.fused_activation_function = schema::ActivationFunctionType::RELU;
  if (change) change(builder, inputs);
  builder.add_output(builder.add_op(B::SVDF, inputs, {2, 2}, options, "made"));
  return builder;
}

TEST(ImportRecurrent, SvdfSumsTheLastResultsOfItsFilters) {
  const Graph graph = imported(svdf_model());
  ASSERT_EQ(graph.states.size(), 1u);
  std::vector<HostTensor> states;
  float last[2][4][3] = {};
  for (int run = 0; run < 5; ++run) {
    HostTensor data(DataType::kFloat32, {2, 3});
    for (size_t i = 0; i < 6; ++i)
      data.as<float>()[i] = static_cast<float>((i * 5 + static_cast<size_t>(run) * 3) % 7) - 3;
    const auto got = value_of(ref::run(graph, {data}, &states));
    for (size_t b = 0; b < 2; ++b) {
      float units[2] = {1, -1};
      for (size_t f = 0; f < 4; ++f) {
        float sum = 0;
        for (size_t i = 0; i < 3; ++i) sum += (static_cast<float>((f * 3 + i) % 5) - 2) * data.as<float>()[b * 3 + i];
        last[b][f][0] = std::exchange(last[b][f][1], last[b][f][2]);
        last[b][f][2] = sum;
        for (size_t t = 0; t < 3; ++t) units[f / 2] += (static_cast<float>((f * 3 + t) % 7) / 2 - 1) * last[b][f][t];
      }
      for (size_t u = 0; u < 2; ++u) {
        EXPECT_EQ(got[0].as<float>()[b * 2 + u], std::max(units[u], 0.0f)) << "run " << run << ", unit " << u;
      }
    }
  }
}

// Weights of 8 bits: the data are quantized at run time, as for a FULLY_CONNECTED.
TEST(ImportRecurrent, SvdfOfEightBitWeights) {
  const Graph graph = imported(svdf_model([](ModelBuilder& b, std::vector<int32_t>& inputs) {
    for (const size_t i : {1, 2}) {
      inputs[i] = b.add_bytes({4, 3}, schema::TensorType::INT8, std::vector<uint8_t>(12, 7));
      b.tensor(inputs[i]).quantization = std::make_unique<schema::QuantizationParametersT>();
      b.tensor(inputs[i]).quantization->scale = {0.5f};
      b.tensor(inputs[i]).quantization->zero_point = {0};
    }
  }));
  EXPECT_EQ(graph.node(graph.order()[0]).op, OpType::kDynamicQuantize);
}

TEST(ImportRecurrent, WrongSvdfs) {
  const auto refused = [](const std::function<void(ModelBuilder&, std::vector<int32_t>&)>& change, ErrorCode code,
                          const std::vector<std::string>& parts) { expect_refused(svdf_model(change), code, parts); };
  refused([](auto&, auto& inputs) { inputs[1] = -1; }, ErrorCode::kInvalidModel, {"SVDF #0", "input 1 is absent"});
  refused(
      [](auto& b, auto& inputs) {
        inputs[4] = add_variable(b, {2, 11});
      },
      ErrorCode::kInvalidModel, {"SVDF #0", "'times'", "of shape 2x11", "do not fit its 4 filters"});
  refused([](auto& b, auto& inputs) { inputs[3] = b.add_filled({3}, 0); }, ErrorCode::kInvalidModel, {"do not fit"});
  refused([](auto& b, auto& inputs) { b.tensor(inputs[4]).is_variable = false; }, ErrorCode::kInvalidModel,
          {"before any operator"});
  refused([](auto& b, auto& inputs) { b.tensor(inputs[0]).type = schema::TensorType::INT32; }, ErrorCode::kUnsupported,
          {"is int32, not float32; use a float32 model"});
  ModelBuilder rank = svdf_model();
  rank.last_op().builtin_options.AsSVDFOptions()->rank = 0;
  expect_refused(rank, ErrorCode::kInvalidModel, {"rank 0"});
}

// Only recurrent operators may read a state.
TEST(ImportRecurrent, OnlyRecurrentOperatorsReadStates) {
  ModelBuilder builder;
  const int data = builder.add_input({4, 3}), state = add_variable(builder, {4, 3});
  builder.add_output(builder.add_op(B::MAXIMUM, {data, state}, {4, 3}));
  expect_refused(builder, ErrorCode::kUnsupported, {"keeps its contents from run to run"});
}

}  // namespace
}  // namespace sightglass::test
