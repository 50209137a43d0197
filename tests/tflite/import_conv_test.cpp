// Import of convolutions, pools, and reductions: options, parameters, and shapes.
#include "import_test.h"

namespace sightglass::test {
namespace {

using Act = schema::ActivationFunctionType;
using Op = schema::BuiltinOperator;
using Pad = schema::Padding;

TEST(ImportConv2d, SameWithStride) {
  ModelBuilder m;
  const int in = m.add_input({1, 7, 6, 3});
  schema::Conv2DOptionsT options = conv_options(Pad::SAME, 2, 1, Act::RELU6);
  options.stride_w = 1;
  m.add_output(m.add_op(Op::CONV_2D, {in, m.add_filled({4, 3, 3, 3}, 1), m.add_filled({4}, 2)}, {1, 4, 6, 4}, options));
  const Graph graph = imported(m);
  const Node& node = only_node(graph);
  EXPECT_EQ(node.op, OpType::kConv2d);
  EXPECT_EQ(node.activation, Activation::kRelu6);
  EXPECT_EQ(node.origin, "CONV_2D #0");
  EXPECT_EQ(node.inputs.size(), 3u);
  const auto& attr = std::get<Conv2dAttr>(node.attributes);
  EXPECT_EQ(attr.stride_h, 2);
  EXPECT_EQ(attr.stride_w, 1);
  // Rows: 4 outputs reach (4 - 1) * 2 + 3 = 9 over 7. Columns: 6 outputs reach 8 over 6.
  EXPECT_EQ(attr.padding.mode, PaddingMode::kSame);
  EXPECT_EQ(attr.padding.top, 1);
  EXPECT_EQ(attr.padding.bottom, 1);
  EXPECT_EQ(attr.padding.left, 1);
  EXPECT_EQ(attr.padding.right, 1);
  EXPECT_EQ(output_shape(graph), Shape({1, 4, 6, 4}));
}

TEST(ImportConv2d, SamePadsTheOddPixelLast) {
  ModelBuilder m;
  const int in = m.add_input({1, 8, 8, 1});
  m.add_output(
      m.add_op(Op::CONV_2D, {in, m.add_filled({1, 3, 3, 1}, 1), -1}, {1, 4, 4, 1}, conv_options(Pad::SAME, 2)));
  const Graph graph = imported(m);
  const auto& attr = std::get<Conv2dAttr>(only_node(graph).attributes);
  EXPECT_EQ(attr.padding.top, 0);
  EXPECT_EQ(attr.padding.bottom, 1);
}

TEST(ImportConv2d, ValidWithDilationAndNoBias) {
  ModelBuilder m;
  const int in = m.add_input({2, 9, 9, 2});
  m.add_output(m.add_op(Op::CONV_2D, {in, m.add_filled({5, 3, 3, 2}, 1)}, {2, 5, 5, 5},
                        conv_options(Pad::VALID, 1, 2, Act::TANH)));
  const Graph graph = imported(m);
  const Node& node = only_node(graph);
  EXPECT_EQ(node.activation, Activation::kTanh);
  EXPECT_EQ(std::get<Conv2dAttr>(node.attributes).dilation_h, 2);
  EXPECT_EQ(std::get<Conv2dAttr>(node.attributes).dilation_w, 2);
  EXPECT_EQ(std::get<Conv2dAttr>(node.attributes).padding.top, 0);
}

TEST(ImportConv2d, GroupsAndComputedFilters) {
  ModelBuilder m;
  const int in = m.add_input({1, 4, 4, 4});
  const int filters = m.add_input({6, 1, 1, 2});
  m.add_output(m.add_op(Op::CONV_2D, {in, filters, m.add_input({6})}, {1, 4, 4, 6}, conv_options(Pad::SAME)));
  const Graph graph = imported(m);
  EXPECT_EQ(output_shape(graph), Shape({1, 4, 4, 6}));
  EXPECT_EQ(only_node(graph).inputs, graph.inputs);
}

TEST(ImportConv2d, HalfFloatWeightsStayHalfFloats) {
  ModelBuilder m;
  const int in = m.add_input({1, 2, 2, 2});
  const int half = m.add_halves({1, 1, 1, 2}, {1.5f, -0.25f});
  const int weights = m.add_op(Op::DEQUANTIZE, {half}, {1, 1, 1, 2}, "weights");
  m.add_output(m.add_op(Op::CONV_2D, {in, weights, -1}, {1, 2, 2, 1}, conv_options(Pad::SAME)));
  const Graph graph = imported(m);
  const Node& node = only_node(graph);
  EXPECT_EQ(node.origin, "CONV_2D #1") << "the index is that of the file";
  const Value& value = graph.value(node.inputs[1]);
  EXPECT_EQ(value.type, DataType::kFloat32);
  ASSERT_TRUE(value.constant.has_value());
  EXPECT_EQ(value.constant->type, DataType::kFloat16) << "the bytes of the file are shared";
  EXPECT_EQ(value.constant->bytes.size(), 4u);
  EXPECT_EQ(graph.floats(node.inputs[1]), (std::vector<float>{1.5f, -0.25f}));
}

TEST(ImportDepthwise, MultiplierComesFromTheShapes) {
  ModelBuilder m;
  const int in = m.add_input({1, 6, 6, 2});
  schema::DepthwiseConv2DOptionsT options = depthwise_options(Pad::SAME, 1, 2, Act::RELU);
  options.depth_multiplier = 0;
  m.add_output(m.add_op(Op::DEPTHWISE_CONV_2D, {in, m.add_filled({1, 3, 3, 6}, 1), m.add_filled({6}, 0)}, {1, 6, 6, 6},
                        options));
  const Graph graph = imported(m);
  const Node& node = only_node(graph);
  EXPECT_EQ(node.op, OpType::kDepthwiseConv2d);
  EXPECT_EQ(node.activation, Activation::kRelu);
  const auto& attr = std::get<DepthwiseConv2dAttr>(node.attributes);
  EXPECT_EQ(attr.multiplier, 3);
  EXPECT_EQ(attr.dilation_h, 2);
  EXPECT_EQ(attr.padding.top, 2);
  EXPECT_EQ(attr.padding.right, 2);
}

TEST(ImportTransposeConv, SameAndValid) {
  for (const bool same : {true, false}) {
    ModelBuilder m;
    const int in = m.add_input({1, 3, 4, 2});
    const Dims out = same ? Dims{1, 6, 8, 5} : Dims{1, 7, 9, 5};
    schema::TransposeConvOptionsT options;
    options.padding = same ? Pad::SAME : Pad::VALID;
    options.stride_h = options.stride_w = 2;
    const int weights = m.add_filled({5, 3, 3, 2}, 1, "weights");
    m.add_output(m.add_op(Op::TRANSPOSE_CONV, {m.add_ints({4}, out), weights, in, m.add_filled({5}, 1)}, out, options));
    const Graph graph = imported(m);
    const Node& node = only_node(graph);
    EXPECT_EQ(node.op, OpType::kTransposeConv);
    ASSERT_EQ(node.inputs.size(), 3u) << "data, weights, bias";
    EXPECT_EQ(node.inputs[0], graph.inputs[0]);
    EXPECT_EQ(graph.value(node.inputs[1]).name, "weights");
    const auto& attr = std::get<TransposeConvAttr>(node.attributes);
    EXPECT_EQ(attr.out_h, out[1]);
    EXPECT_EQ(attr.out_w, out[2]);
    // SAME: (3 - 1) * 2 + 3 = 7 rows, one more than there are.
    EXPECT_EQ(attr.padding.top + attr.padding.bottom, same ? 1 : 0);
    EXPECT_EQ(attr.padding.top, 0);
  }
}

TEST(ImportTransposeConv, CustomWithBias) {
  struct Case {
    uint8_t padding;
    int32_t kernel;
    Dims out;
    int32_t before, after;
  };
  for (const Case& c :
       {Case{1, 2, {1, 8, 8, 1}, 0, 0}, Case{1, 3, {1, 8, 8, 1}, 0, 1}, Case{2, 3, {1, 9, 9, 1}, 0, 0}}) {
    ModelBuilder m;
    const int in = m.add_input({1, 4, 4, 3});
    const int weights = m.add_filled({1, c.kernel, c.kernel, 3}, 1);
    m.add_output(m.add_custom_op("Convolution2DTransposeBias", {in, weights, m.add_filled({1}, 1)}, c.out,
                                 {c.padding, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0}));
    const Graph graph = imported(m);
    const Node& node = only_node(graph);
    EXPECT_EQ(node.op, OpType::kTransposeConv);
    const auto& attr = std::get<TransposeConvAttr>(node.attributes);
    EXPECT_EQ(attr.out_h, c.out[1]);
    EXPECT_EQ(attr.stride_h, 2);
    EXPECT_EQ(attr.padding.top, c.before);
    EXPECT_EQ(attr.padding.bottom, c.after);
  }
}

TEST(ImportFullyConnected, FlattensOrKeepsDimensions) {
  for (const bool keep : {false, true}) {
    ModelBuilder m;
    const int in = m.add_input({2, 3, 4});
    schema::FullyConnectedOptionsT options;
    options.keep_num_dims = keep;
    options.fused_activation_function = Act::RELU_N1_TO_1;
    const Dims out = keep ? Dims{2, 3, 5} : Dims{6, 5};
    m.add_output(m.add_op(Op::FULLY_CONNECTED, {in, m.add_filled({5, 4}, 1), m.add_filled({5}, 1)}, out, options));
    const Graph graph = imported(m);
    EXPECT_EQ(std::get<FullyConnectedAttr>(only_node(graph).attributes).keep_num_dims, keep);
    EXPECT_EQ(only_node(graph).activation, Activation::kReluN1To1);
  }
}

TEST(ImportFullyConnected, WeightsMayBeComputed) {
  ModelBuilder m;
  m.add_output(m.add_op(Op::FULLY_CONNECTED, {m.add_input({2, 4}), m.add_input({5, 4}), -1}, {2, 5}));
  const Graph graph = imported(m);
  EXPECT_FALSE(graph.is_constant(only_node(graph).inputs[1]));
}

TEST(ImportBatchMatmul, OptionsBecomeAttributes) {
  for (const bool transposed : {false, true}) {
    ModelBuilder m;
    schema::BatchMatMulOptionsT options;
    options.adj_y = transposed;
    const int x = m.add_input({2, 1, 3, 4}), y = m.add_input(transposed ? Dims{6, 5, 4} : Dims{6, 4, 5});
    m.add_output(m.add_op(Op::BATCH_MATMUL, {x, y}, {2, 6, 3, 5}, options));
    const auto attr = std::get<BatchMatmulAttr>(only_node(imported(m)).attributes);
    EXPECT_FALSE(attr.adj_x);
    EXPECT_EQ(attr.adj_y, transposed);
  }
}

TEST(ImportBatchMatmul, OfConstantsIsFolded) {
  ModelBuilder m;
  const int product = m.add_op(Op::BATCH_MATMUL, {m.add_floats({1, 2}, {1, 2}), m.add_floats({2, 1}, {3, 4})}, {1, 1});
  m.add_output(m.add_op(Op::ADD, {m.add_input({3, 1}), product}, {3, 1}));
  const Graph graph = imported(m);
  EXPECT_EQ(graph.floats(only_node(graph).inputs[1]), std::vector<float>{11});
}

TEST(ImportBatchMatmul, Rejections) {
  ModelBuilder misfit, vector, hybrid;
  misfit.add_output(misfit.add_op(Op::BATCH_MATMUL, {misfit.add_input({2, 3}), misfit.add_input({2, 3})}, {2, 3}));
  expect_refused(misfit, ErrorCode::kInvalidModel, {"BATCH_MATMUL #0", "2x3 and 2x3"});
  vector.add_output(vector.add_op(Op::BATCH_MATMUL, {vector.add_input({3}), vector.add_input({3, 2})}, {2}));
  expect_refused(vector, ErrorCode::kInvalidModel, {"BATCH_MATMUL #0", "not a matrix"});
  const int bytes = hybrid.add_bytes({2, 1}, schema::TensorType::INT8, {1, 2}, "y");
  hybrid.add_output(hybrid.add_op(Op::BATCH_MATMUL, {hybrid.add_input({1, 2}), bytes}, {1, 1}));
  expect_refused(hybrid, ErrorCode::kUnsupported, {"BATCH_MATMUL #0", "'y'", "dynamic-range"});
}

TEST(ImportPool, FilterStrideAndPadding) {
  ModelBuilder m;
  const int in = m.add_input({1, 5, 7, 2});
  schema::Pool2DOptionsT options = pool_options(Pad::SAME, 3, 2);
  options.filter_width = 2;
  m.add_output(m.add_op(Op::MAX_POOL_2D, {in}, {1, 3, 4, 2}, options));
  const Graph graph = imported(m);
  EXPECT_EQ(only_node(graph).op, OpType::kMaxPool2d);
  const auto& attr = std::get<Pool2dAttr>(only_node(graph).attributes);
  EXPECT_EQ(attr.filter_h, 3);
  EXPECT_EQ(attr.filter_w, 2);
  EXPECT_EQ(attr.padding.top, 1);
  EXPECT_EQ(attr.padding.bottom, 1);
  EXPECT_EQ(attr.padding.left, 0);
  EXPECT_EQ(attr.padding.right, 1);
}

TEST(ImportPool, WithIndicesAndUnpooling) {
  ModelBuilder m;
  const int in = m.add_input({1, 4, 6, 2});
  const int pooled =
      m.add_custom_op("MaxPoolingWithArgmax2D", {in}, {1, 2, 2, 2}, int32_options({1, 3, 2, 3, 2, 1, 0, 0, -1, -1}));
  const int places = m.add_tensor({1, 2, 2, 2});
  m.last_op().outputs.push_back(places);
  m.add_output(m.add_custom_op("MaxUnpooling2D", {pooled, places}, {1, 4, 6, 2}, int32_options({2, 3, 2, 3, 2, 0})));
  const Graph graph = imported(m);
  ASSERT_EQ(graph.order().size(), 2u);
  const Node &pool = graph.node(graph.order()[0]), &unpool = graph.node(graph.order()[1]);
  EXPECT_EQ(pool.op, OpType::kMaxPoolWithArgmax);
  EXPECT_EQ(pool.activation, Activation::kRelu);
  EXPECT_EQ(pool.outputs.size(), 2u);
  EXPECT_EQ(unpool.op, OpType::kMaxUnpool);
  EXPECT_EQ(unpool.inputs, pool.outputs);
  for (const Node* node : {&pool, &unpool}) {
    const auto& attr = std::get<Pool2dAttr>(node->attributes);
    EXPECT_EQ(attr.filter_h, 2);
    EXPECT_EQ(attr.filter_w, 3);
    EXPECT_EQ(attr.stride_h, 2);
    EXPECT_EQ(attr.stride_w, 3);
  }
}

TEST(ImportPool, WholeFrame) {
  ModelBuilder m;
  const int in = m.add_input({1, 64, 64, 16});
  m.add_output(m.add_op(Op::AVERAGE_POOL_2D, {in}, {1, 1, 1, 16}, pool_options(Pad::VALID, 64, 64)));
  EXPECT_EQ(only_node(imported(m)).op, OpType::kAveragePool2d);
}

TEST(ImportMean, AxesAreSortedAndCounted) {
  struct Case {
    Dims axes_shape;
    std::vector<int32_t> axes;
    bool keep;
    Dims out;
    std::vector<int32_t> expected;
  };
  const Case cases[] = {
      {{2}, {2, 1}, true, {1, 1, 1, 3}, {1, 2}},
      {{3}, {-2, -3, 1}, false, {1, 3}, {1, 2}},
      {{}, {-1}, false, {1, 4, 5}, {3}},
  };
  for (const Case& c : cases) {
    ModelBuilder m;
    const int in = m.add_input({1, 4, 5, 3});
    schema::ReducerOptionsT options;
    options.keep_dims = c.keep;
    m.add_output(m.add_op(Op::MEAN, {in, m.add_ints(c.axes_shape, c.axes)}, c.out, options));
    const Graph graph = imported(m);
    const auto& attr = std::get<ReduceAttr>(only_node(graph).attributes);
    EXPECT_EQ(attr.axes, c.expected);
    EXPECT_EQ(attr.keep_dims, c.keep);
    EXPECT_EQ(only_node(graph).inputs.size(), 1u);
  }
}

TEST(ImportSoftmax, Beta) {
  ModelBuilder m;
  const int in = m.add_input({1, 4});
  m.add_output(m.add_op(Op::SOFTMAX, {in}, {1, 4}, softmax_options(2.5f)));
  const Graph graph = imported(m);
  EXPECT_EQ(std::get<SoftmaxAttr>(only_node(graph).attributes).beta, 2.5f);
}

TEST(ImportElementwise, EveryOperator) {
  const std::pair<Op, OpType> unary[] = {
      {Op::RELU, OpType::kRelu},
      {Op::RELU6, OpType::kRelu6},
      {Op::RELU_N1_TO_1, OpType::kReluN1To1},
      {Op::EXP, OpType::kExp},
      {Op::LOGISTIC, OpType::kLogistic},
      {Op::TANH, OpType::kTanh},
      {Op::HARD_SWISH, OpType::kHardSwish},
  };
  for (const auto& [code, op] : unary) {
    ModelBuilder m;
    m.add_output(m.add_op(code, {m.add_input({1, 2, 3, 4})}, {1, 2, 3, 4}));
    EXPECT_EQ(only_node(imported(m)).op, op) << to_string(op);
  }
  const std::pair<Op, OpType> binary[] = {
      {Op::ADD, OpType::kAdd},         {Op::SUB, OpType::kSub},         {Op::MUL, OpType::kMul},
      {Op::MAXIMUM, OpType::kMaximum}, {Op::MINIMUM, OpType::kMinimum}, {Op::PRELU, OpType::kPrelu},
  };
  for (const auto& [code, op] : binary) {
    ModelBuilder m;
    m.add_output(m.add_op(code, {m.add_input({1, 2, 3, 4}), m.add_filled({1, 1, 4}, 1)}, {1, 2, 3, 4}));
    EXPECT_EQ(only_node(imported(m)).op, op) << to_string(op);
  }
}

TEST(ImportElementwise, FusedActivationAndBroadcastOfBoth) {
  ModelBuilder m;
  const int a = m.add_input({1, 1, 3, 4});
  const int b = m.add_input({2, 5, 1, 4});
  schema::MulOptionsT options;
  options.fused_activation_function = Act::RELU;
  m.add_output(m.add_op(Op::MUL, {a, b}, {2, 5, 3, 4}, options));
  EXPECT_EQ(only_node(imported(m)).activation, Activation::kRelu);
}

}  // namespace
}  // namespace sightglass::test
