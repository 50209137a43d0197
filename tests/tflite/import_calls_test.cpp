// Operators that run subgraphs, and variables: what becomes of them in the graph, and how they are rejected.
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <utility>

#include "harness/value_of.h"
#include "import_test.h"
#include "ref/ref_ops.h"

namespace sightglass::test {
namespace {

using B = schema::BuiltinOperator;
constexpr auto kResource = schema::TensorType::RESOURCE;

// Appends an operator whose output has that type.
template <typename Options>
int add_typed(ModelBuilder& m, B code, const std::vector<int32_t>& inputs, const Dims& dims, schema::TensorType type,
              Options options, const std::string& name = {}) {
  const int made = m.add_op(code, inputs, dims, std::move(options), name);
  m.tensor(made).type = type;
  return made;
}

int add_handle(ModelBuilder& m, const std::string& variable) {
  schema::VarHandleOptionsT options;
  options.shared_name = variable;
  return add_typed(m, B::VAR_HANDLE, {}, {}, kResource, options);
}

void assign(ModelBuilder& m, int handle, int value) {
  m.add_effect(B::ASSIGN_VARIABLE, {handle, value}, schema::AddOptionsT());
  m.last_op().builtin_options.Reset();
}

void call_once(ModelBuilder& m, int subgraph) {
  schema::CallOnceOptionsT options;
  options.init_subgraph_index = subgraph;
  m.add_effect(B::CALL_ONCE, {}, options);
}

void quantize(ModelBuilder& m, int tensor, float scale, int64_t zero) {
  m.tensor(tensor).quantization = std::make_unique<schema::QuantizationParametersT>();
  m.tensor(tensor).quantization->scale = {scale};
  m.tensor(tensor).quantization->zero_point = {zero};
}

// out = state + input; state = out. `initial` contents of the variable "sum".
ModelBuilder running_sum(const std::vector<float>& initial = {10, 20}) {
  ModelBuilder m;
  m.begin_subgraph();
  const int constant = m.add_floats({1, 2}, initial);
  assign(m, add_handle(m, "sum"), constant);
  m.select_subgraph(0);
  const int in = m.add_input({1, 2});
  call_once(m, 1);
  const int handle = add_handle(m, "sum");
  const int before = m.add_op(B::READ_VARIABLE, {handle}, {1, 2}, "before");
  const int sum = m.add_op(B::ADD, {before, in}, {1, 2}, schema::AddOptionsT(), "sum");
  assign(m, handle, sum);
  m.add_output(sum);
  return m;
}

// Results of successive runs of the reference with the same inputs.
std::vector<std::vector<float>> results_of(const Graph& graph, const std::vector<HostTensor>& inputs, int runs) {
  std::vector<std::vector<float>> results;
  std::vector<HostTensor> states;
  for (int i = 0; i < runs; ++i) {
    const auto outputs = value_of(ref::run(graph, inputs, &states));
    const auto values = outputs[0].as<float>();
    results.emplace_back(values.begin(), values.end());
  }
  return results;
}

using Runs = std::vector<std::vector<float>>;

TEST(ImportVariables, AVariableIsAState) {
  const Graph graph = imported(running_sum());
  ASSERT_EQ(graph.states.size(), 1u);
  EXPECT_EQ(graph.order().size(), 1u) << dump_text(graph);
  EXPECT_EQ(graph.value(graph.states[0].input).name, "sum");
  ASSERT_TRUE(graph.states[0].initial);
  EXPECT_EQ(results_of(graph, {HostTensor::from_floats({1, 2}, std::vector<float>{1, 2})}, 3),
            (Runs{{11, 22}, {12, 24}, {13, 26}}));
}

// A second read in the same run reads what was assigned, and the last assignment counts.
TEST(ImportVariables, ReadsFollowAssignments) {
  ModelBuilder m = running_sum();
  const int handle = m.subgraph().operators[1]->outputs[0];
  const int again = m.add_op(B::READ_VARIABLE, {handle}, {1, 2});
  const int doubled = m.add_op(B::ADD, {again, again}, {1, 2}, schema::AddOptionsT());
  assign(m, handle, doubled);
  m.subgraph().outputs = {doubled};
  EXPECT_EQ(results_of(imported(m), {HostTensor::from_floats({1, 2}, std::vector<float>{1, 1})}, 3),
            (Runs{{22, 42}, {46, 86}, {94, 174}}));
}

TEST(ImportVariables, WithoutAssignmentsTheyAreConstants) {
  ModelBuilder m = running_sum();
  m.subgraph().operators.pop_back();
  const Graph graph = imported(m);
  EXPECT_TRUE(graph.states.empty());
  EXPECT_TRUE(graph.is_constant(graph.node(graph.order()[0]).inputs[0]));
}

TEST(ImportVariables, SetBeforeReadingTheyAreNoStates) {
  ModelBuilder m;
  const int in = m.add_input({1, 2}), handle = add_handle(m, "v");
  assign(m, handle, in);
  m.add_output(m.add_op(B::RELU, {m.add_op(B::READ_VARIABLE, {handle}, {1, 2})}, {1, 2}));
  const Graph graph = imported(m);
  EXPECT_TRUE(graph.states.empty());
  EXPECT_EQ(only_node(graph).inputs[0], graph.inputs[0]);
}

// Two handles of one name are one variable; containers distinguish names.
TEST(ImportVariables, HandlesOfOneNameShareAVariable) {
  ModelBuilder m = running_sum();
  const int other = add_handle(m, "sum");
  m.subgraph().outputs = {m.add_op(B::RELU, {m.add_op(B::READ_VARIABLE, {other}, {1, 2})}, {1, 2})};
  EXPECT_EQ(results_of(imported(m), {HostTensor::from_floats({1, 2}, std::vector<float>{1, 2})}, 2),
            (Runs{{11, 22}, {12, 24}}));
  ModelBuilder elsewhere = running_sum();
  const int foreign = add_handle(elsewhere, "sum");
  elsewhere.last_op().builtin_options.AsVarHandleOptions()->container = "elsewhere";
  elsewhere.subgraph().outputs = {elsewhere.add_op(B::READ_VARIABLE, {foreign}, {1, 2}, "read")};
  expect_refused(elsewhere, ErrorCode::kInvalidModel, {"READ_VARIABLE", "'read'", "'sum' is read before any operator"});
}

// TensorFlow Lite copies the numbers, whatever the scales.
TEST(ImportVariables, QuantizedNumbersStay) {
  ModelBuilder m;
  const auto kInt8 = schema::TensorType::INT8;
  m.begin_subgraph();
  const int initial = m.add_bytes({1, 4}, kInt8, {1, 2, 3, 4});
  quantize(m, initial, 0.5f, 1);
  assign(m, add_handle(m, "v"), initial);
  m.select_subgraph(0);
  const int in = m.add_input({1, 4}, kInt8);
  quantize(m, in, 2, 3);
  call_once(m, 1);
  const int handle = add_handle(m, "v");
  const int read = m.add_op(B::READ_VARIABLE, {handle}, {1, 4});
  m.tensor(read).type = kInt8;
  quantize(m, read, 0.25f, -5);
  assign(m, handle, in);
  m.add_output(read);
  const Graph graph = imported(m);
  ASSERT_EQ(graph.states.size(), 1u);
  HostTensor numbers(DataType::kInt8, {1, 4});
  for (int i = 0; i < 4; ++i) numbers.as<int8_t>()[static_cast<size_t>(i)] = static_cast<int8_t>(100 - 60 * i);
  std::vector<HostTensor> states;
  auto first = value_of(ref::run(graph, {numbers}, &states)), second = value_of(ref::run(graph, {numbers}, &states));
  EXPECT_EQ(first[0].data, (std::vector<std::byte>{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}}));
  EXPECT_EQ(second[0].data, numbers.data);
}

TEST(ImportVariables, Refusals) {
  ModelBuilder unset = running_sum();
  unset.subgraph().operators.erase(unset.subgraph().operators.begin());
  expect_refused(unset, ErrorCode::kInvalidModel, {"READ_VARIABLE #1", "'sum' is read before any operator has set it"});
  ModelBuilder resized = running_sum();
  const int pair = resized.add_input({2, 2});
  resized.subgraph().operators.back()->inputs[1] = pair;
  expect_refused(resized, ErrorCode::kUnsupported,
                 {"ASSIGN_VARIABLE", "'sum', float32 of shape 1x2, float32 of shape 2x2; keep its type and shape"});
  ModelBuilder other = running_sum();
  other.subgraph().operators[2]->inputs[0] = other.subgraph().inputs[0];
  expect_refused(other, ErrorCode::kInvalidModel, {"READ_VARIABLE #2", "is not a handle that VAR_HANDLE made"});
  ModelBuilder typed = running_sum();
  typed.tensor(typed.subgraph().operators[2]->outputs[0]).type = schema::TensorType::INT32;
  expect_refused(typed, ErrorCode::kInvalidModel, {"READ_VARIABLE #2", "is float32, but 'before' (tensor 3) is int32"});
  ModelBuilder missing = running_sum();
  missing.subgraph().operators[0]->builtin_options.AsCallOnceOptions()->init_subgraph_index = 7;
  expect_refused(missing, ErrorCode::kInvalidModel, {"CALL_ONCE #0", "it runs subgraph 7, but there are 2"});
  ModelBuilder text = running_sum();
  text.select_subgraph(1);
  text.tensor(0).type = schema::TensorType::STRING;
  text.select_subgraph(0);
  expect_refused(text, ErrorCode::kUnsupported, {"ASSIGN_VARIABLE #1 of subgraph 1", "is STRING"});
}

// Subgraph 1 is max(0, x) + 1, with an input of its own shape.
void add_callee(ModelBuilder& m, const Dims& dims = {1, 2}) {
  m.begin_subgraph();
  const int in = m.add_input(dims);
  const int relu = m.add_op(B::RELU, {in}, dims, "positive");
  m.add_output(m.add_op(B::ADD, {relu, m.add_filled(dims, 1)}, dims, schema::AddOptionsT(), "more"));
  m.select_subgraph(0);
}

int add_composite(ModelBuilder& m, int in, int subgraph, const Dims& dims = {1, 2}) {
  schema::StableHLOCompositeOptionsT options;
  options.name = "example.composite";
  options.decomposition_subgraph_index = subgraph;
  const int made = m.add_op(B::STABLEHLO_COMPOSITE, {in}, dims, "composed");
  m.last_op().builtin_options_2.Set(options);
  return made;
}

TEST(ImportCalls, ACompositeRunsItsDecomposition) {
  ModelBuilder m;
  add_callee(m);
  const int in = m.add_input({1, 2});
  m.add_output(add_composite(m, add_composite(m, in, 1), 1));
  const Graph graph = imported(m);
  EXPECT_EQ(graph.order().size(), 4u) << dump_text(graph);
  EXPECT_EQ(graph.node(graph.order()[0]).origin, "RELU #0 of subgraph 1");
  EXPECT_EQ(results_of(graph, {HostTensor::from_floats({1, 2}, std::vector<float>{-3, 5})}, 1), (Runs{{2, 7}}));
}

TEST(ImportCalls, ACallOfConstantsIsAConstant) {
  ModelBuilder m;
  add_callee(m);
  const int in = m.add_input({1, 2});
  schema::CallOptionsT options;
  options.subgraph = 1;
  const int called = m.add_op(B::CALL, {m.add_floats({1, 2}, {-4, 4})}, {1, 2}, options);
  m.add_output(m.add_op(B::MUL, {in, called}, {1, 2}, schema::MulOptionsT()));
  const Graph graph = imported(m);
  EXPECT_EQ(graph.floats(only_node(graph).inputs[1]), (std::vector<float>{1, 5}));
}

TEST(ImportCalls, ResultsThatAreArguments) {
  ModelBuilder m;
  m.begin_subgraph();
  const int parameter = m.add_input({1, 2});
  m.add_output(parameter);
  m.select_subgraph(0);
  m.add_output(m.add_op(B::RELU, {add_composite(m, m.add_input({1, 2}), 1)}, {1, 2}));
  EXPECT_EQ(imported(m).order().size(), 1u);
}

TEST(ImportCalls, Refusals) {
  const auto refused = [](const std::function<void(ModelBuilder&)>& change, ErrorCode code,
                          const std::vector<std::string>& parts) {
    ModelBuilder m;
    add_callee(m);
    m.add_output(add_composite(m, m.add_input({1, 2}), 1));
    change(m);
    expect_refused(m, code, parts);
  };
  const auto options = [](ModelBuilder& m) { return m.last_op().builtin_options_2.AsStableHLOCompositeOptions(); };
  refused([&](ModelBuilder& m) { options(m)->decomposition_subgraph_index = -1; }, ErrorCode::kInvalidModel,
          {"STABLEHLO_COMPOSITE #0", "it runs subgraph -1"});
  refused([&](ModelBuilder& m) { options(m)->decomposition_subgraph_index = 0; }, ErrorCode::kInvalidModel,
          {"subgraph 0 runs itself"});
  refused([](ModelBuilder& m) { m.last_op().builtin_options_2.Reset(); }, ErrorCode::kInvalidModel,
          {"it has no StableHLOCompositeOptions"});
  refused([](ModelBuilder& m) { m.last_op().inputs.push_back(0); }, ErrorCode::kInvalidModel,
          {"subgraph 1 has 1 inputs, but 2 are given"});
  refused(
      [](ModelBuilder& m) {
        m.last_op().outputs.push_back(m.add_tensor({1, 2}));
      },
      ErrorCode::kInvalidModel, {"it has 2 outputs, but the subgraph makes 1"});
  refused(
      [](ModelBuilder& m) {
        m.select_subgraph(1);
        m.subgraph().operators[0]->opcode_index = 99;
      },
      ErrorCode::kInvalidModel, {"operator code 99"});
  refused(
      [](ModelBuilder& m) {
        m.select_subgraph(1);
        m.add_op(B::LSH_PROJECTION, {0}, {1, 2}, "sparse");
      },
      ErrorCode::kUnsupported, {"LSH_PROJECTION #2 of subgraph 1 (output 'sparse')"});
  refused(
      [](ModelBuilder& m) {
        m.select_subgraph(1);
        m.subgraph().outputs[0] = m.add_tensor({1, 2});
      },
      ErrorCode::kInvalidModel, {"subgraph 1: output 0 is never written"});
  refused(
      [](ModelBuilder& m) {
        m.select_subgraph(1);
        m.add_output(add_composite(m, 0, 1));
      },
      ErrorCode::kInvalidModel, {"subgraph 1 runs itself"});
  refused(
      [](ModelBuilder& m) {
        m.select_subgraph(1);
        m.tensor(m.subgraph().inputs[0]).is_variable = true;
        m.add_op(B::ADD, {m.add_tensor({1, 2}, schema::TensorType::FLOAT32, "kept"), 0}, {1, 2}, schema::AddOptionsT());
        m.tensor(m.last_op().inputs[0]).is_variable = true;
      },
      ErrorCode::kUnsupported, {"'kept'", "keeps its contents from run to run in a subgraph"});
}

// x + 1 if a condition of the shape of x holds, else x - 1.
ModelBuilder branches(int32_t threshold) {
  ModelBuilder m;
  for (const B code : {B::ADD, B::SUB}) {
    m.begin_subgraph();
    const int in = m.add_input({1, 2});
    const int one = m.add_filled({1, 2}, 1);
    m.add_output(code == B::ADD ? m.add_op(code, {in, one}, {1, 2}, schema::AddOptionsT())
                                : m.add_op(code, {in, one}, {1, 2}, schema::SubOptionsT()));
  }
  m.select_subgraph(0);
  const int in = m.add_input({1, 2});
  const int shape = add_typed(m, B::SHAPE, {in}, {2}, schema::TensorType::INT32, schema::ShapeOptionsT());
  m.last_op().builtin_options.AsShapeOptions()->out_type = schema::TensorType::INT32;
  const int columns =
      add_typed(m, B::GATHER, {shape, m.add_ints({1}, {1})}, {1}, schema::TensorType::INT32, schema::GatherOptionsT());
  const int wide = m.add_op(B::GREATER, {columns, m.add_ints({1}, {threshold})}, {1}, "wide");
  m.tensor(wide).type = schema::TensorType::BOOL;
  schema::IfOptionsT options;
  options.then_subgraph_index = 1;
  options.else_subgraph_index = 2;
  m.add_output(m.add_op(B::IF, {wide, in}, {1, 2}, options, "chosen"));
  return m;
}

TEST(ImportBranches, AShapeDecides) {
  const HostTensor input = HostTensor::from_floats({1, 2}, std::vector<float>{5, 6});
  EXPECT_EQ(results_of(imported(branches(1)), {input}, 1), (Runs{{6, 7}}));
  EXPECT_EQ(results_of(imported(branches(2)), {input}, 1), (Runs{{4, 5}}));
}

TEST(ImportBranches, DataCannotDecide) {
  ModelBuilder m = branches(1);
  m.last_op().inputs[0] = m.add_input({1}, schema::TensorType::BOOL, "flag");
  expect_refused(m, ErrorCode::kUnsupported, {"IF #3", "'chosen'", "its condition 'flag'", "computed while the model"});
  ModelBuilder number = branches(1);
  number.last_op().inputs[0] = number.add_ints({1}, {1}, "number");
  expect_refused(number, ErrorCode::kInvalidModel, {"IF #3", "'number'", "is int32 of shape 1, not one bool"});
}

// counter = 0; while (counter < limit) { x = 2 x + 1; ++counter; }
ModelBuilder loop(int32_t limit) {
  ModelBuilder m;
  const auto kInt = schema::TensorType::INT32;
  m.begin_subgraph();
  const int count = m.add_input({}, kInt);
  m.add_input({1, 2});
  m.add_output(m.add_op(B::LESS, {count, m.add_ints({}, {limit})}, {}, "again"));
  m.tensor(m.subgraph().outputs[0]).type = schema::TensorType::BOOL;
  m.begin_subgraph();
  const int counter = m.add_input({}, kInt), x = m.add_input({1, 2});
  const int next = add_typed(m, B::ADD, {counter, m.add_ints({}, {1})}, {}, kInt, schema::AddOptionsT());
  const int twice = m.add_op(B::ADD, {x, x}, {1, 2}, schema::AddOptionsT());
  const int more = m.add_op(B::ADD, {twice, m.add_filled({1, 2}, 1)}, {1, 2}, schema::AddOptionsT());
  m.add_output(next);
  m.add_output(more);
  m.select_subgraph(0);
  const int in = m.add_input({1, 2});
  schema::WhileOptionsT options;
  options.cond_subgraph_index = 1;
  options.body_subgraph_index = 2;
  const int counted = add_typed(m, B::WHILE, {m.add_ints({}, {0}), in}, {}, kInt, options, "counted");
  m.last_op().outputs.push_back(m.add_tensor({1, 2}));
  m.add_output(m.last_op().outputs[1]);
  EXPECT_GE(counted, 0);
  return m;
}

TEST(ImportLoops, AreUnrolled) {
  for (const int32_t limit : {0, 1, 3, 20}) {
    const float power = static_cast<float>(1 << limit);
    ModelBuilder m = loop(limit);
    if (limit == 0) m.subgraph().outputs[0] = m.add_op(B::RELU, {m.subgraph().outputs[0]}, {1, 2});
    const Graph graph = imported(m);
    EXPECT_EQ(graph.order().size(), limit == 0 ? 1u : 2u * static_cast<size_t>(limit));
    EXPECT_EQ(results_of(graph, {HostTensor::from_floats({1, 2}, std::vector<float>{0, 5})}, 1),
              (Runs{{power - 1, 6 * power - 1}}));
  }
}

TEST(ImportLoops, Refusals) {
  tflite::ImportOptions few;
  few.max_nodes = 100;
  expect_refused(loop(1'000'000), ErrorCode::kUnsupported, {"WHILE #0", "'counted'", "run too often", "shorter loops"},
                 few);
  ModelBuilder data = loop(3);
  data.last_op().inputs[0] = data.add_input({}, schema::TensorType::INT32, "times");
  expect_refused(data, ErrorCode::kUnsupported, {"WHILE #0", "its condition 'again'", "computed while the model runs"});
  ModelBuilder unknown = loop(3);
  unknown.select_subgraph(2);
  unknown.add_op(B::LSH_PROJECTION, {0}, {1}, "hash");
  unknown.select_subgraph(0);
  expect_refused(unknown, ErrorCode::kUnsupported, {"1 operator is not supported", "LSH_PROJECTION #3 of subgraph 2"});
  ModelBuilder kept = loop(3);
  kept.last_op().inputs[1] = kept.add_tensor({1, 2}, schema::TensorType::FLOAT32, "kept");
  kept.tensor(kept.last_op().inputs[1]).is_variable = true;
  expect_refused(kept, ErrorCode::kUnsupported, {"WHILE #0", "'kept'", "keeps its contents from run to run"});
  ModelBuilder lost = loop(3);
  lost.select_subgraph(2);
  lost.subgraph().outputs.pop_back();
  lost.select_subgraph(0);
  expect_refused(lost, ErrorCode::kInvalidModel, {"WHILE #0", "subgraph 1 has 2 inputs, but 1 are given"});
}

// The absolute values of the transforms of three rows of `columns` numbers, with complex numbers reshaped in between.
ModelBuilder spectrum(int32_t columns, int32_t length, int32_t rows = 1) {
  ModelBuilder m;
  const auto kComplex = schema::TensorType::COMPLEX64;
  const int32_t results = length / 2 + 1;
  const int in = m.add_input({3, 1, columns});
  const int transformed = m.add_op(B::RFFT2D, {in, m.add_ints({2}, {rows, length})}, {3, 1, results}, "transformed");
  const int flat = m.add_op(B::RESHAPE, {transformed, m.add_ints({2}, {3, results})}, {3, results});
  m.tensor(transformed).type = m.tensor(flat).type = kComplex;
  m.add_output(m.add_op(B::COMPLEX_ABS, {flat}, {3, results}, "absolute"));
  m.add_output(m.add_op(B::REAL, {transformed}, {3, 1, results}));
  m.add_output(m.add_op(B::IMAG, {transformed}, {3, 1, results}));
  return m;
}

TEST(ImportTransforms, AreSumsOfWaves) {
  for (const auto& [columns, length] : {std::pair(8, 8), {16, 8}, {5, 16}, {1, 1}, {13, 512}, {512, 512}}) {
    SCOPED_TRACE(std::to_string(columns) + " numbers, length " + std::to_string(length));
    const Graph graph = imported(spectrum(columns, length));
    HostTensor in(DataType::kFloat32, {3, 1, columns});
    for (size_t i = 0; i < in.as<float>().size(); ++i) in.as<float>()[i] = static_cast<float>(i * 7 % 11) / 4 - 1;
    const auto got = value_of(ref::run(graph, {in}));
    const auto results = static_cast<size_t>(length / 2 + 1);
    for (size_t i = 0; i < 3 * results; ++i) {
      std::complex<double> sum;
      for (size_t n = 0; n < static_cast<size_t>(std::min(columns, length)); ++n) {
        const double angle = -2 * std::numbers::pi * static_cast<double>(i % results * n) / length;
        sum += std::polar(1.0, angle) * double{in.as<float>()[i / results * static_cast<size_t>(columns) + n]};
      }
      ASSERT_NEAR(got[0].as<float>()[i], std::abs(sum), 1e-4) << i;
      ASSERT_NEAR(got[1].as<float>()[i], sum.real(), 1e-4) << i;
      ASSERT_NEAR(got[2].as<float>()[i], sum.imag(), 1e-4) << i;
    }
  }
}

TEST(ImportTransforms, Refusals) {
  expect_refused(spectrum(8, 8, 2), ErrorCode::kUnsupported,
                 {"RFFT2D #0", "2 rows and 8 columns of shape 3x1x8; transform single rows"});
  expect_refused(spectrum(8, 8192), ErrorCode::kUnsupported, {"RFFT2D #0", "at most 4096 columns"});
  expect_refused(spectrum(8, -2), ErrorCode::kInvalidModel, {"RFFT2D #0", "-2 columns"});
  ModelBuilder real = spectrum(8, 8);
  real.tensor(real.subgraph().operators[0]->outputs[0]).type = schema::TensorType::FLOAT32;
  expect_refused(real, ErrorCode::kInvalidModel, {"RFFT2D #0", "'transformed' (tensor 2) is float32; they must be"});
  ModelBuilder given = spectrum(8, 8);
  given.subgraph().operators[2]->inputs[0] = 0;
  expect_refused(given, ErrorCode::kInvalidModel, {"COMPLEX_ABS #2", "'t0' (tensor 0) is not a result of RFFT2D"});
  ModelBuilder other = spectrum(8, 8);
  other.add_output(other.add_op(B::TANH, {2}, {3, 1, 5}, "other"));
  expect_refused(other, ErrorCode::kUnsupported, {"TANH #5", "'transformed' (tensor 2) is COMPLEX64"});
}

}  // namespace
}  // namespace sightglass::test
