// Import of element-wise operators, and of operators whose results follow from shapes and constants.
#include "graph/op_types.h"
#include "harness/value_of.h"
#include "import_test.h"
#include "ref/ref_ops.h"

namespace sightglass::test {
namespace {

using Op = schema::BuiltinOperator;
using Type = schema::TensorType;

// An operator with an output of that type.
template <typename... Options>
int add_typed(ModelBuilder& m, Op code, const std::vector<int32_t>& inputs, const Dims& out, Type type,
              Options... options) {
  const int tensor = m.add_op(code, inputs, out, options...);
  m.tensor(tensor).type = type;
  return tensor;
}

std::vector<int64_t> whole_numbers(const Graph& graph, ValueId id) {
  const auto tensor = value_of(ref::constant_tensor(graph, id));
  if (tensor.type == DataType::kInt64) return {tensor.as<int64_t>().begin(), tensor.as<int64_t>().end()};
  return {tensor.as<int32_t>().begin(), tensor.as<int32_t>().end()};
}

TEST(ImportElements, OptionsBecomeAttributes) {
  ModelBuilder leaky, gelu;
  schema::LeakyReluOptionsT alpha;
  alpha.alpha = 0.25f;
  leaky.add_output(leaky.add_op(Op::LEAKY_RELU, {leaky.add_input({4})}, {4}, alpha));
  EXPECT_EQ(std::get<LeakyReluAttr>(only_node(imported(leaky)).attributes).alpha, 0.25f);
  schema::GeluOptionsT approximate;
  approximate.approximate = true;
  gelu.add_output(gelu.add_op(Op::GELU, {gelu.add_input({4})}, {4}, approximate));
  EXPECT_TRUE(std::get<GeluAttr>(only_node(imported(gelu)).attributes).approximate);
  ModelBuilder div;
  schema::DivOptionsT relu;
  relu.fused_activation_function = schema::ActivationFunctionType::RELU;
  div.add_output(div.add_op(Op::DIV, {div.add_input({4}), div.add_input({4})}, {4}, relu));
  EXPECT_EQ(only_node(imported(div)).activation, Activation::kRelu);
}

TEST(ImportElements, ComparisonsMakeBooleans) {
  ModelBuilder m;
  m.add_output(add_typed(m, Op::LESS, {m.add_input({2, 3}), m.add_input({3})}, {2, 3}, Type::BOOL));
  const Graph graph = imported(m);
  EXPECT_EQ(only_node(graph).op, OpType::kLess);
  ModelBuilder wrong;
  wrong.add_output(wrong.add_op(Op::LESS, {wrong.add_input({3}), wrong.add_input({3})}, {3}, "answer"));
  expect_refused(wrong, ErrorCode::kUnsupported, {"LESS #0", "'answer' is float32 instead of bool"});
}

TEST(ImportElements, CastTakesItsTypeFromItsOutput) {
  ModelBuilder m;
  m.add_output(add_typed(m, Op::CAST, {m.add_input({4}, Type::INT64)}, {4}, Type::BOOL));
  const Graph graph = imported(m);
  EXPECT_EQ(graph.value(graph.outputs[0]).type, DataType::kBool);
}

TEST(ImportSelect, FirstVersionMaySelectByRow) {
  for (const bool by_row : {false, true}) {
    ModelBuilder m;
    const int condition = m.add_input(by_row ? Dims{2} : Dims{2, 3}, Type::BOOL);
    m.add_output(m.add_op(Op::SELECT, {condition, m.add_input({2, 3}), m.add_input({2, 3})}, {2, 3}));
    EXPECT_EQ(std::get<SelectAttr>(only_node(imported(m)).attributes).by_row, by_row);
  }
  ModelBuilder wrong;
  wrong.add_output(wrong.add_op(
      Op::SELECT, {wrong.add_input({3}, Type::BOOL), wrong.add_input({2, 3}), wrong.add_input({2, 3})}, {2, 3}));
  expect_refused(wrong, ErrorCode::kInvalidModel, {"SELECT #0", "row"});
}

TEST(ImportSelect, SecondVersionBroadcasts) {
  ModelBuilder m;
  const int condition = m.add_input({3}, Type::BOOL);
  m.add_output(m.add_op(Op::SELECT_V2, {condition, m.add_input({2, 3}), m.add_filled({}, 1)}, {2, 3}));
  EXPECT_FALSE(std::get<SelectAttr>(only_node(imported(m)).attributes).by_row);
}

TEST(ImportBroadcast, FillRepeatsANumber) {
  ModelBuilder m;
  const int filled = m.add_op(Op::FILL, {m.add_ints({2}, {2, 3}), m.add_filled({}, 7)}, {2, 3});
  m.add_output(m.add_op(Op::ADD, {m.add_input({2, 3}), filled}, {2, 3}));
  const Graph graph = imported(m);
  EXPECT_EQ(graph.floats(only_node(graph).inputs[1]), std::vector<float>(6, 7.0f));
}

TEST(ImportBroadcast, ShapeIsAParameter) {
  ModelBuilder m;
  m.add_output(m.add_op(Op::BROADCAST_TO, {m.add_input({3, 1}), m.add_longs({3}, {2, 3, 4})}, {2, 3, 4}));
  EXPECT_EQ(std::get<BroadcastToAttr>(only_node(imported(m)).attributes).shape, (Shape{2, 3, 4}));
  ModelBuilder wrong;
  wrong.add_output(wrong.add_op(Op::BROADCAST_TO, {wrong.add_input({3}), wrong.add_ints({1}, {-3})}, {3}));
  expect_refused(wrong, ErrorCode::kInvalidModel, {"BROADCAST_TO #0", "-3"});
}

// TOPK_V2 of [2,5] with `count` as its second input. Its indices are int32.
void add_top_k(ModelBuilder& m, int count, int32_t k) {
  const int in = m.add_input({2, 5});
  m.add_output(m.add_op(Op::TOPK_V2, {in, count}, {2, k}));
  m.last_op().outputs.push_back(m.add_tensor({2, k}, Type::INT32));
  m.add_output(m.last_op().outputs.back());
}

TEST(ImportTopK, CountIsAParameter) {
  ModelBuilder m;
  add_top_k(m, m.add_ints({}, {3}), 3);
  const Graph graph = imported(m);
  EXPECT_EQ(std::get<TopKAttr>(only_node(graph).attributes).k, 3);
  EXPECT_EQ(only_node(graph).outputs.size(), 2u);
  EXPECT_EQ(only_node(graph).inputs.size(), 1u);
}

TEST(ImportTopK, Rejections) {
  ModelBuilder more, negative, computed, single;
  add_top_k(more, more.add_ints({}, {6}), 6);
  expect_refused(more, ErrorCode::kInvalidModel, {"TOPK_V2 #0", "no 6 elements"});
  add_top_k(negative, negative.add_ints({}, {-1}), 1);
  expect_refused(negative, ErrorCode::kInvalidModel, {"TOPK_V2 #0", "one nonnegative number"});
  add_top_k(computed, computed.add_input({}, Type::INT32, "count"), 3);
  expect_refused(computed, ErrorCode::kUnsupported, {"TOPK_V2 #0", "'count'"});
  single.add_output(single.add_op(Op::TOPK_V2, {single.add_input({5}), single.add_ints({}, {2})}, {2}));
  expect_refused(single, ErrorCode::kInvalidModel, {"TOPK_V2 #0", "1 outputs instead of 2"});
}

TEST(ImportShape, IsConstant) {
  for (const bool wide : {false, true}) {
    ModelBuilder m;
    const int in = m.add_input({2, 3, 5});
    schema::ShapeOptionsT options;
    options.out_type = wide ? Type::INT64 : Type::INT32;
    m.add_output(add_typed(m, Op::SHAPE, {in}, {3}, options.out_type, options));
    m.add_output(m.add_op(Op::RELU, {in}, {2, 3, 5}));
    const Graph graph = imported(m);
    EXPECT_EQ(whole_numbers(graph, graph.outputs[0]), (std::vector<int64_t>{2, 3, 5}));
  }
}

TEST(ImportShape, FeedsReshape) {
  ModelBuilder m;
  const int in = m.add_input({2, 6}), like = m.add_input({3, 4});
  const int shape = add_typed(m, Op::SHAPE, {like}, {2}, Type::INT32);
  m.add_output(m.add_op(Op::RESHAPE, {in, shape}, {3, 4}));
  EXPECT_EQ(std::get<ReshapeAttr>(only_node(imported(m)).attributes).shape, (Shape{3, 4}));
}

TEST(ImportShape, RankAndRange) {
  ModelBuilder m;
  m.add_output(add_typed(m, Op::RANK, {m.add_input({2, 3, 5})}, {}, Type::INT32));
  m.add_output(
      add_typed(m, Op::RANGE, {m.add_ints({}, {7}), m.add_ints({}, {0}), m.add_ints({}, {-3})}, {3}, Type::INT32));
  const Graph graph = imported(m);
  EXPECT_EQ(whole_numbers(graph, graph.outputs[0]), (std::vector<int64_t>{3}));
  EXPECT_EQ(whole_numbers(graph, graph.outputs[1]), (std::vector<int64_t>{7, 4, 1}));
}

TEST(ImportShape, RejectsRanges) {
  const auto range = [](ModelBuilder& m, const std::vector<int32_t>& bounds) {
    std::vector<int32_t> inputs;
    for (const int32_t bound : bounds) inputs.push_back(m.add_ints({}, {bound}));
    m.add_output(add_typed(m, Op::RANGE, inputs, {}, Type::INT32));
  };
  ModelBuilder endless, huge;
  range(endless, {0, 5, -1});
  expect_refused(endless, ErrorCode::kInvalidModel, {"RANGE #0", "never ends"});
  range(huge, {0, INT32_MAX, 1});
  expect_refused(huge, ErrorCode::kUnsupported, {"RANGE #0", "1048576"});
  ModelBuilder computed;
  const int start = computed.add_input({}, Type::INT32, "start");
  computed.add_output(add_typed(computed, Op::RANGE, {start, computed.add_ints({}, {5}), computed.add_ints({}, {1})},
                                {5}, Type::INT32));
  expect_refused(computed, ErrorCode::kUnsupported, {"RANGE #0", "'start'", "constant"});
}

TEST(ImportElements, WhereIsRejectedWithAReason) {
  ModelBuilder m;
  m.add_output(m.add_op(Op::WHERE, {m.add_input({4}, Type::BOOL)}, {4, 1}));
  expect_refused(m, ErrorCode::kUnsupported, {"WHERE #0", "depends on the data"});
}

TEST(ImportReduction, AxesAreSortedAndSingleElementsAreNotReduced) {
  ModelBuilder sum, single;
  schema::ReducerOptionsT keep;
  keep.keep_dims = true;
  sum.add_output(sum.add_op(Op::SUM, {sum.add_input({2, 3, 4}), sum.add_ints({3}, {-1, 0, 0})}, {1, 3, 1}, keep));
  const Graph graph = imported(sum);
  EXPECT_EQ(only_node(graph).op, OpType::kSum);
  EXPECT_EQ(std::get<ReduceAttr>(only_node(graph).attributes).axes, (std::vector<int32_t>{0, 2}));
  single.add_output(single.add_op(Op::REDUCE_MAX, {single.add_input({1, 3}), single.add_ints({}, {0})}, {3}));
  EXPECT_EQ(std::get<ReshapeAttr>(only_node(imported(single)).attributes).shape, (Shape{3}));
}

TEST(ImportReduction, IndicesOfExtremes) {
  for (const Type type : {Type::INT32, Type::INT64}) {
    ModelBuilder m;
    m.add_output(add_typed(m, Op::ARG_MAX, {m.add_input({2, 3, 4}), m.add_ints({}, {-2})}, {2, 4}, type));
    EXPECT_EQ(std::get<ArgAttr>(only_node(imported(m)).attributes).axis, 1);
  }
  ModelBuilder beyond, real;
  beyond.add_output(
      add_typed(beyond, Op::ARG_MIN, {beyond.add_input({2, 3}), beyond.add_ints({1}, {2})}, {2}, Type::INT32));
  expect_refused(beyond, ErrorCode::kInvalidModel, {"ARG_MIN #0", "axis", "2x3"});
  real.add_output(real.add_op(Op::ARG_MAX, {real.add_input({2, 3}), real.add_ints({}, {1})}, {2}, "places"));
  expect_refused(real, ErrorCode::kUnsupported, {"ARG_MAX #0", "'places' is float32 instead of int32"});
}

}  // namespace
}  // namespace sightglass::test
