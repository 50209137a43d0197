// Models that the importer rejects: damaged files, contradictions, and unsupported features. Every message names the
// model, and the faulty operator, tensor, or value.
#include <functional>

#include "harness/value_of.h"
#include "import_test.h"
#include "sightglass/model.h"

namespace sightglass::test {
namespace {

using Op = schema::BuiltinOperator;
using Pad = schema::Padding;

// input -> RELU -> CONV_2D -> output, to be damaged.
struct SmallModel {
  ModelBuilder m;
  int input, relu, weights, bias, output;

  SmallModel() {
    input = m.add_input({1, 4, 4, 2}, schema::TensorType::FLOAT32, "input");
    relu = m.add_op(Op::RELU, {input}, {1, 4, 4, 2}, "relu");
    weights = m.add_filled({3, 1, 1, 2}, 1, "weights");
    bias = m.add_filled({3}, 1, "bias");
    output = m.add_op(Op::CONV_2D, {relu, weights, bias}, {1, 4, 4, 3}, conv_options(Pad::SAME), "output");
    m.add_output(output);
  }
  schema::Conv2DOptionsT& conv() { return *m.last_op().builtin_options.AsConv2DOptions(); }
  schema::OperatorT& relu_op() { return *m.subgraph().operators[0]; }
};

void expect_invalid(const std::function<void(SmallModel&)>& damage, const std::vector<std::string>& parts) {
  SmallModel s;
  damage(s);
  expect_refused(s.m, ErrorCode::kInvalidModel, parts);
}

void expect_unsupported(const std::function<void(SmallModel&)>& damage, const std::vector<std::string>& parts) {
  SmallModel s;
  damage(s);
  expect_refused(s.m, ErrorCode::kUnsupported, parts);
}

TEST(Refusals, TheUndamagedModelImports) { EXPECT_EQ(imported(SmallModel().m).order().size(), 2u); }

TEST(RefusedFiles, NotAModel) {
  for (const size_t size : {0, 1, 7, 8, 100}) {
    expect_failure(import_bytes(std::vector<std::byte>(size, std::byte{0x5a})), {"m.tflite"}, ErrorCode::kInvalidModel);
  }
}

TEST(RefusedFiles, WrongIdentifier) { expect_failure(import_bytes(SmallModel().m.build("TFL2")), {"TFL2"}); }

TEST(RefusedFiles, EveryTruncation) {
  const std::vector<std::byte> whole = SmallModel().m.build();
  for (size_t size = 0; size < whole.size(); ++size) {
    const Result<Graph> graph = import_bytes({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)});
    // The truncated part may be unused padding. Then the model is complete.
    if (graph.ok()) {
      EXPECT_GT(size + 16, whole.size()) << "a file truncated to " << size << " bytes was imported";
    }
  }
}

TEST(RefusedFiles, EveryByteChanged) {
  const std::vector<std::byte> whole = SmallModel().m.build();
  int refused = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const std::byte mask : {std::byte{0xff}, std::byte{0x80}, std::byte{0x01}}) {
      std::vector<std::byte> changed = whole;
      changed[i] ^= mask;
      const Result<Graph> graph = import_bytes(changed);
      if (!graph.ok()) {
        ++refused;
        EXPECT_FALSE(graph.status().message().empty());
      } else {
        const Status valid = verify(*graph);
        EXPECT_TRUE(valid.ok()) << "byte " << i << ": " << valid.message();
      }
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(RefusedFiles, MissingFile) {
  const auto model = Model::load(std::string("no/such/model.tflite"));
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().code(), ErrorCode::kNotFound);
  EXPECT_NE(model.status().message().find("no/such/model.tflite"), std::string::npos) << model.status().message();
}

TEST(RefusedStructure, Version) {
  expect_unsupported([](SmallModel& s) { s.m.model().version = 4; }, {"version 4"});
}

TEST(RefusedStructure, NoSubgraphOrOutput) {
  expect_invalid([](SmallModel& s) { s.m.model().subgraphs.clear(); }, {"subgraph"});
  expect_invalid([](SmallModel& s) { s.m.subgraph().outputs.clear(); }, {"output"});
}

TEST(RefusedStructure, IndicesOutOfRange) {
  expect_invalid([](SmallModel& s) { s.m.subgraph().inputs[0] = 99; }, {"input 0", "99"});
  expect_invalid([](SmallModel& s) { s.m.subgraph().outputs[0] = -1; }, {"output 0", "-1"});
  expect_invalid([](SmallModel& s) { s.relu_op().inputs[0] = 1000; }, {"RELU #0", "1000"});
  expect_invalid([](SmallModel& s) { s.relu_op().inputs[0] = -2; }, {"RELU #0", "-2"});
  expect_invalid([](SmallModel& s) { s.relu_op().outputs[0] = INT32_MAX; }, {"RELU #0", "2147483647"});
  expect_invalid([](SmallModel& s) { s.relu_op().opcode_index = 77; }, {"#0", "77"});
  expect_invalid([](SmallModel& s) { s.m.tensor(s.weights).buffer = 500; }, {"weights", "500"});
  expect_invalid([](SmallModel& s) { s.m.tensor(s.relu).buffer = UINT32_MAX; }, {"relu", "4294967295"});
}

TEST(RefusedStructure, OrderOfOperators) {
  expect_invalid([](SmallModel& s) { std::swap(s.m.subgraph().operators[0], s.m.subgraph().operators[1]); },
                 {"CONV_2D #0", "relu"});
  expect_invalid([](SmallModel& s) { s.relu_op().inputs[0] = s.relu; }, {"RELU #0", "relu"});      // reads itself
  expect_invalid([](SmallModel& s) { s.relu_op().inputs[0] = s.output; }, {"RELU #0", "output"});  // a cycle
  expect_invalid([](SmallModel& s) { s.m.last_op().outputs[0] = s.relu; }, {"CONV_2D #1", "relu"});
  expect_invalid([](SmallModel& s) { s.relu_op().outputs[0] = s.input; }, {"RELU #0", "input"});
  expect_invalid([](SmallModel& s) { s.relu_op().outputs[0] = s.weights; }, {"RELU #0", "weights"});
  expect_invalid([](SmallModel& s) { s.m.subgraph().inputs.push_back(s.input); }, {"input"});
  expect_invalid([](SmallModel& s) { s.m.subgraph().inputs.push_back(s.bias); }, {"bias"});
}

TEST(RefusedStructure, NumberOfInputsAndOutputs) {
  expect_invalid([](SmallModel& s) { s.relu_op().inputs.clear(); }, {"RELU #0"});
  expect_invalid([](SmallModel& s) { s.relu_op().inputs.push_back(s.bias); }, {"RELU #0"});
  expect_invalid([](SmallModel& s) { s.relu_op().inputs[0] = -1; }, {"RELU #0"});
  expect_invalid([](SmallModel& s) { s.m.last_op().outputs.clear(); }, {"CONV_2D #1"});
  expect_invalid([](SmallModel& s) { s.m.last_op().inputs.resize(1); }, {"CONV_2D #1"});
}

TEST(RefusedShapes, NegativeHugeAndDeep) {
  expect_invalid([](SmallModel& s) { s.m.tensor(s.relu).shape[1] = -7; }, {"relu"});
  expect_unsupported([](SmallModel& s) { s.m.tensor(s.input).shape = {65536, 65536, 65536, 65536}; }, {"input"});
  expect_unsupported([](SmallModel& s) { s.m.tensor(s.input).shape = {INT32_MAX, INT32_MAX, 2}; }, {"input"});
  // 2^64 + 4 elements, which are 4 in 64 bits.
  expect_unsupported(
      [](SmallModel& s) {
        s.m.tensor(s.input).shape = {111620, 8681, 49477, 384773};
      },
      {"input", "elements"});
  expect_unsupported([](SmallModel& s) { s.m.tensor(s.input).shape = Dims(9, 1); }, {"input", "9"});
  expect_unsupported([](SmallModel& s) { s.m.tensor(s.input).shape = {1, 0, 4, 2}; }, {"input"});
}

TEST(RefusedShapes, Dynamic) {
  expect_unsupported([](SmallModel& s) { s.m.tensor(s.input).shape = {-1, 4, 4, 2}; }, {"'input'", "dynamic"});
}

TEST(RefusedShapes, DeclaredAgainstInferred) {
  expect_invalid(
      [](SmallModel& s) {
        s.m.tensor(s.output).shape = {1, 4, 4, 5};
      },
      {"CONV_2D #1", "output", "1x4x4x5", "1x4x4x3"});
}

TEST(RefusedShapes, ConstantsOfTheWrongSize) {
  expect_invalid([](SmallModel& s) { s.m.tensor(s.weights).shape = {3, 1, 1, 3}; }, {"weights", "24", "36"});
  expect_invalid([](SmallModel& s) { s.m.tensor(s.bias).type = schema::TensorType::INT64; }, {"bias"});
}

TEST(RefusedShapes, OperandsThatDoNotFit) {
  expect_invalid(
      [](SmallModel& s) {
        s.m.tensor(s.weights).shape = {2, 1, 1, 3};
        s.m.tensor(s.output).shape = {1, 4, 4, 2};
      },
      {"CONV_2D #1", "weights", "2x1x1x3"});
  expect_invalid([](SmallModel& s) { s.m.tensor(s.input).shape = {4, 4, 2}; }, {"RELU #0"});
  expect_invalid(
      [](SmallModel& s) {
        s.m.tensor(s.input).shape = s.m.tensor(s.relu).shape = {4, 4, 2};
      },
      {"CONV_2D #1", "relu", "4 dimensions"});
}

TEST(RefusedOptions, OutOfRange) {
  expect_invalid([](SmallModel& s) { s.conv().stride_h = 0; }, {"CONV_2D #1", "0"});
  expect_invalid([](SmallModel& s) { s.conv().stride_w = -1; }, {"CONV_2D #1", "-1"});
  expect_invalid([](SmallModel& s) { s.conv().dilation_h_factor = 0; }, {"CONV_2D #1"});
  expect_invalid([](SmallModel& s) { s.conv().padding = static_cast<Pad>(9); }, {"CONV_2D #1", "9"});
  expect_invalid(
      [](SmallModel& s) { s.conv().fused_activation_function = static_cast<schema::ActivationFunctionType>(66); },
      {"CONV_2D #1", "66"});
  expect_unsupported(
      [](SmallModel& s) { s.conv().fused_activation_function = schema::ActivationFunctionType::SIGN_BIT; },
      {"CONV_2D #1", "SIGN_BIT"});
}

TEST(RefusedOptions, HugeDilationDoesNotOverflow) {
  SmallModel s;
  s.m.tensor(s.weights).shape = {1, 3, 1, 2};
  s.m.tensor(s.bias).shape = {};
  s.m.tensor(s.bias).buffer = 0;
  s.m.last_op().inputs = {s.relu, s.weights};
  s.conv().dilation_h_factor = INT32_MAX;
  s.m.tensor(s.output).shape = {};
  expect_refused(s.m, ErrorCode::kInvalidModel, {"CONV_2D #1"});
}

TEST(RefusedOptions, WrongOrMissingTable) {
  expect_invalid([](SmallModel& s) { s.m.last_op().builtin_options.Set(pool_options(Pad::SAME, 1, 1)); },
                 {"CONV_2D #1", "Pool2DOptions", "Conv2DOptions"});
  expect_invalid([](SmallModel& s) { s.m.last_op().builtin_options.Reset(); }, {"CONV_2D #1", "Conv2DOptions"});
}

TEST(RefusedOptions, CustomOptionsTooShort) {
  ModelBuilder m;
  const int in = m.add_input({1, 4, 4, 3});
  m.add_output(
      m.add_custom_op("Convolution2DTransposeBias", {in, m.add_filled({1, 2, 2, 3}, 1)}, {1, 8, 8, 1}, {1, 0, 0, 0}));
  expect_refused(m, ErrorCode::kInvalidModel, {"Convolution2DTransposeBias", "#0", "4 bytes"});
}

TEST(RefusedOptions, ParametersOfPoolsWithIndices) {
  const auto refused = [](std::initializer_list<int32_t> options, const std::string& part) {
    ModelBuilder m;
    const int pooled =
        m.add_custom_op("MaxPoolingWithArgmax2D", {m.add_input({1, 4, 4, 1})}, {1, 2, 2, 1}, int32_options(options));
    m.last_op().outputs.push_back(m.add_tensor({1, 2, 2, 1}));
    m.add_output(pooled);
    expect_refused(m, ErrorCode::kInvalidModel, {"MaxPoolingWithArgmax2D", "#0", part});
  };
  refused({1, 2, 2, 2, 2}, "20 bytes");
  refused({3, 2, 2, 2, 2, 0}, "padding scheme 3");
  refused({1, 2, 2, 2, 2, 300}, "activation 300");
  refused({1, 0, 2, 2, 2, 0}, "at least 1");
  refused({1, 2, 2, -1, 2, 0}, "at least 1");
}

// One operator on an input of 1x4x4x2 with one parameter tensor.
void expect_parameter_refused(Op code, const std::function<int(ModelBuilder&)>& parameter, ErrorCode error,
                              const std::vector<std::string>& parts) {
  ModelBuilder m;
  const int in = m.add_input({1, 4, 4, 2});
  const int added = parameter(m);
  m.add_output(m.add_op(code, {in, added}, {}));
  expect_refused(m, error, parts);
}

TEST(RefusedParameters, OutOfRange) {
  const auto ints = [](const Dims& dims, const std::vector<int32_t>& values) {
    return [=](ModelBuilder& m) { return m.add_ints(dims, values, "parameter"); };
  };
  constexpr ErrorCode kInvalid = ErrorCode::kInvalidModel;
  expect_parameter_refused(Op::MEAN, ints({1}, {4}), kInvalid, {"MEAN #0", "4"});
  expect_parameter_refused(Op::MEAN, ints({1}, {-5}), kInvalid, {"MEAN #0", "-5"});
  expect_parameter_refused(Op::PAD, ints({4, 2}, {0, 0, -1, 0, 0, 0, 0, 0}), kInvalid, {"PAD #0", "-1"});
  expect_parameter_refused(Op::PAD, ints({3, 2}, {0, 0, 0, 0, 0, 0}), kInvalid, {"PAD #0"});
  expect_parameter_refused(Op::PAD, ints({4, 2}, {0, 0, 0, INT32_MAX, 0, INT32_MAX, 0, 0}), kInvalid, {"PAD #0"});
  expect_parameter_refused(Op::RESHAPE, ints({2}, {5, 5}), kInvalid, {"RESHAPE #0", "5x5"});
  expect_parameter_refused(Op::RESHAPE, ints({2}, {-1, -1}), kInvalid, {"RESHAPE #0"});
  expect_parameter_refused(Op::RESHAPE, ints({2}, {-1, 0}), kInvalid, {"RESHAPE #0"});
  expect_parameter_refused(Op::RESHAPE, ints({3}, {-1, INT32_MAX, INT32_MAX}), kInvalid, {"RESHAPE #0"});
  expect_parameter_refused(Op::EXPAND_DIMS, ints({1}, {6}), kInvalid, {"EXPAND_DIMS #0", "6"});
  expect_parameter_refused(Op::RESIZE_BILINEAR, ints({2}, {0, 3}), kInvalid, {"RESIZE_BILINEAR #0"});
  expect_parameter_refused(Op::RESIZE_BILINEAR, ints({2}, {INT32_MAX, INT32_MAX}), kInvalid, {"RESIZE_BILINEAR #0"});
  expect_parameter_refused(Op::MEAN, [](ModelBuilder& m) { return m.add_filled({1}, 1); }, kInvalid,
                           {"MEAN #0", "float32"});
}

TEST(RefusedParameters, NotConstant) {
  expect_parameter_refused(Op::MEAN,
                           [](ModelBuilder& m) { return m.add_input({1}, schema::TensorType::INT32, "axes"); },
                           ErrorCode::kUnsupported, {"MEAN #0", "'axes'", "constant"});
}

TEST(Unsupported, AllOperatorsAtOnce) {
  ModelBuilder m;
  const int in = m.add_input({1, 4, 4, 2});
  const int custom = m.add_custom_op("MyFancyOp", {in}, {1, 4, 4, 2}, {}, "fancy");
  const int fine = m.add_op(Op::RELU, {custom}, {1, 4, 4, 2});
  const int projected = m.add_op(Op::LSH_PROJECTION, {fine}, {1, 4, 4}, "classes");
  m.add_output(m.add_op(static_cast<Op>(4711), {projected}, {1, 4, 4}, "future"));
  expect_refused(
      m, ErrorCode::kUnsupported,
      {"3 operators", "'MyFancyOp' #0", "'fancy'", "LSH_PROJECTION #2", "'classes'", "4711", "#3", "'future'"});
}

TEST(Unsupported, CustomOperatorsOfCompilersAndOfTensorFlow) {
  const std::pair<const char*, const char*> named[] = {
      {"edgetpu-custom-op", "compiled for the Edge TPU; use the file from before that compiler"},
      {"ethos-u", "compiled for Arm Ethos-U; use the file from before that compiler"},
      {"FlexErf", "the TensorFlow operator 'Erf' has no counterpart"}};
  for (const auto& [code, message] : named) {
    ModelBuilder m;
    m.add_output(m.add_custom_op(code, {m.add_input({1, 4})}, {1, 4}, {}, "made"));
    expect_refused(m, ErrorCode::kUnsupported, {std::string("'") + code + "' #0", "'made'", message});
  }
}

TEST(Unsupported, OtherTypesThanFloat) {
  ModelBuilder m;
  const int in = m.add_input({1, 4}, schema::TensorType::INT8, "bytes");
  const int out = m.add_op(Op::RELU, {in}, {1, 4}, "relu");
  m.tensor(out).type = schema::TensorType::INT8;
  m.add_output(out);
  expect_refused(m, ErrorCode::kUnsupported, {"RELU #0", "'relu'", "'bytes'", "int8", "float"});
}

TEST(Unsupported, ResultsThatLoseTheirScale) {
  ModelBuilder m;
  const int in = m.add_input({1, 4}, schema::TensorType::INT8, "quanta");
  m.tensor(in).quantization = std::make_unique<schema::QuantizationParametersT>();
  m.tensor(in).quantization->scale = {0.5f};
  m.tensor(in).quantization->zero_point = {3};
  const int out = m.add_op(Op::LOG, {in}, {1, 4}, "bytes");
  m.tensor(out).type = schema::TensorType::INT8;
  m.add_output(out);
  expect_refused(m, ErrorCode::kUnsupported, {"LOG #0", "'bytes'", "int8 without a scale", "give both a scale"});
}

TEST(Unsupported, Variables) {
  ModelBuilder m;
  const int in = m.add_input({1, 4});
  const int state = m.add_tensor({1, 4}, schema::TensorType::FLOAT32, "state");
  m.tensor(state).is_variable = true;
  m.add_output(m.add_op(Op::ADD, {in, state}, {1, 4}));
  expect_refused(m, ErrorCode::kUnsupported, {"ADD #0", "'state'"});
}

TEST(Unsupported, DataWithoutElements) {
  ModelBuilder m;
  const int in = m.add_input({1, 4});
  schema::ConcatenationOptionsT options;
  options.axis = 1;
  m.add_output(m.add_op(Op::CONCATENATION, {in, m.add_floats({1, 0}, {}, "nothing")}, {1, 4}, options));
  expect_refused(m, ErrorCode::kUnsupported, {"CONCATENATION #0", "'nothing'", "1x0"});
}

TEST(Malformed, GroupsOfFilters) {
  ModelBuilder m;
  const int in = m.add_input({1, 4, 4, 4});
  m.add_output(m.add_op(Op::CONV_2D, {in, m.add_filled({5, 1, 1, 2}, 1)}, {1, 4, 4, 5}, conv_options(Pad::SAME)));
  expect_refused(m, ErrorCode::kInvalidModel, {"CONV_2D #0", "5 filters", "2 groups"});
}

TEST(Limits, NodesElementsAndFolding) {
  tflite::ImportOptions options;
  options.max_nodes = 1;
  expect_refused(SmallModel().m, ErrorCode::kUnsupported, {"2 operators", "1"}, options);
  options = {};
  options.max_tensor_elements = 40;
  expect_refused(SmallModel().m, ErrorCode::kUnsupported, {"output", "40"}, options);

  // Operators of which only several together take too long.
  options = {};
  options.max_folding_steps = 500;
  for (const int sums : {1, 2}) {
    ModelBuilder m;
    int sum = m.add_filled({1, 100}, 1);
    for (int i = 0; i < sums; ++i) sum = m.add_op(Op::ADD, {sum, sum}, {1, 100});
    m.add_output(m.add_op(Op::ADD, {m.add_input({1, 100}), sum}, {1, 100}));
    if (sums == 1) {
      EXPECT_TRUE(import_bytes(m.build(), options).ok());
    } else {
      expect_refused(m, ErrorCode::kUnsupported, {"ADD #1", "takes too long"}, options);
    }
  }

  // Constants that grow step by step, to much more than the file contains.
  ModelBuilder m;
  int big = m.add_filled({1, 1, 1, 1}, 1);
  for (int32_t size = 16; size <= 16384; size *= 4) {
    big = m.add_op(Op::RESIZE_BILINEAR, {big, m.add_ints({2}, {size, size})}, {1, size, size, 1});
  }
  m.add_output(m.add_op(Op::ADD, {m.add_input({1, 1, 1, 1}), big}, {1, 16384, 16384, 1}));
  expect_refused(m, ErrorCode::kUnsupported, {"RESIZE_BILINEAR", "constant"});
}

}  // namespace
}  // namespace sightglass::test
