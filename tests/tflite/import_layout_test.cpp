// Operators that move or copy elements: their parameter tensors become attributes, and each of several outputs is a
// tensor.
#include <algorithm>

#include "harness/value_of.h"
#include "import_test.h"
#include "ref/ref_ops.h"

namespace sightglass::test {
namespace {

using Op = schema::BuiltinOperator;

TEST(ImportPad, Int32AndInt64) {
  for (const bool wide : {false, true}) {
    ModelBuilder m;
    const int in = m.add_input({1, 4, 5, 2});
    const int paddings =
        wide ? m.add_longs({4, 2}, {0, 0, 1, 2, 3, 0, 0, 4}) : m.add_ints({4, 2}, {0, 0, 1, 2, 3, 0, 0, 4});
    m.add_output(m.add_op(Op::PAD, {in, paddings}, {1, 7, 8, 6}));
    const Graph graph = imported(m);
    const auto& attr = std::get<PadAttr>(only_node(graph).attributes);
    EXPECT_EQ(attr.before[1], 1);
    EXPECT_EQ(attr.after[1], 2);
    EXPECT_EQ(attr.before[2], 3);
    EXPECT_EQ(attr.after[3], 4);
    EXPECT_EQ(attr.value, 0.0f);
    EXPECT_EQ(only_node(graph).inputs.size(), 1u);
  }
}

TEST(ImportPad, V2HasAValue) {
  ModelBuilder m;
  const int in = m.add_input({2, 3});
  m.add_output(m.add_op(Op::PADV2, {in, m.add_ints({2, 2}, {0, 0, 1, 1}), m.add_floats({}, {-2.5f})}, {2, 5}));
  EXPECT_EQ(std::get<PadAttr>(only_node(imported(m)).attributes).value, -2.5f);
}

TEST(ImportReshape, ShapeFromTensorOrOption) {
  const Dims out{2, 12};
  for (const bool from_tensor : {true, false}) {
    ModelBuilder m;
    const int in = m.add_input({1, 4, 6});
    if (from_tensor) {
      m.add_output(m.add_op(Op::RESHAPE, {in, m.add_ints({2}, {2, -1})}, out));
    } else {
      schema::ReshapeOptionsT options;
      options.new_shape = {-1, 12};
      m.add_output(m.add_op(Op::RESHAPE, {in}, out, options));
    }
    const Graph graph = imported(m);
    EXPECT_EQ(only_node(graph).op, OpType::kReshape);
    EXPECT_EQ(std::get<ReshapeAttr>(only_node(graph).attributes).shape, Shape({2, 12}));
    EXPECT_EQ(only_node(graph).inputs.size(), 1u);
  }
}

TEST(ImportReshape, TheTensorWinsOverTheOption) {
  ModelBuilder m;
  const int in = m.add_input({1, 4, 6});
  schema::ReshapeOptionsT options;
  options.new_shape = {24};
  m.add_output(m.add_op(Op::RESHAPE, {in, m.add_ints({2}, {4, 6})}, {4, 6}, options));
  EXPECT_EQ(std::get<ReshapeAttr>(only_node(imported(m)).attributes).shape, Shape({4, 6}));
}

TEST(ImportSqueeze, NamedDimensionsOrAll) {
  struct Case {
    std::vector<int32_t> dims;
    Dims out;
  };
  for (const Case& c : {Case{{}, {3}}, Case{{1, -1}, {1, 3}}, Case{{0}, {1, 3, 1}}}) {
    ModelBuilder m;
    const int in = m.add_input({1, 1, 3, 1});
    schema::SqueezeOptionsT options;
    options.squeeze_dims = c.dims;
    m.add_output(m.add_op(Op::SQUEEZE, {in}, c.out, options));
    const Graph graph = imported(m);
    EXPECT_EQ(only_node(graph).op, OpType::kReshape);
    EXPECT_EQ(only_node(graph).origin, "SQUEEZE #0");
  }
}

TEST(ImportExpandDims, FromEitherEnd) {
  for (const auto& [axis, out] : {std::pair{0, Dims{1, 3, 4}}, {-1, Dims{3, 4, 1}}, {-3, Dims{1, 3, 4}}}) {
    ModelBuilder m;
    const int in = m.add_input({3, 4});
    m.add_output(m.add_op(Op::EXPAND_DIMS, {in, m.add_ints({1}, {axis})}, out));
    EXPECT_EQ(only_node(imported(m)).op, OpType::kReshape) << axis;
  }
}

TEST(ImportConcatenation, NegativeAxis) {
  ModelBuilder m;
  const int a = m.add_input({1, 2, 3, 4});
  const int b = m.add_input({1, 2, 3, 5});
  schema::ConcatenationOptionsT options;
  options.axis = -1;
  options.fused_activation_function = schema::ActivationFunctionType::RELU;
  m.add_output(m.add_op(Op::CONCATENATION, {a, b, a}, {1, 2, 3, 13}, options));
  const Graph graph = imported(m);
  EXPECT_EQ(std::get<ConcatAttr>(only_node(graph).attributes).axis, 3);
  EXPECT_EQ(only_node(graph).activation, Activation::kRelu);
  EXPECT_EQ(only_node(graph).inputs.size(), 3u);
}

TEST(ImportDepthToSpace, Blocks) {
  ModelBuilder m;
  const int in = m.add_input({1, 2, 3, 8});
  schema::DepthToSpaceOptionsT options;
  options.block_size = 2;
  m.add_output(m.add_op(Op::DEPTH_TO_SPACE, {in}, {1, 4, 6, 2}, options));
  EXPECT_EQ(std::get<BlockSizeAttr>(only_node(imported(m)).attributes).block_size, 2);
}

TEST(ImportResize, SizesAndConventions) {
  for (const auto& [align, half] : {std::pair{false, false}, {true, false}, {false, true}}) {
    ModelBuilder m;
    const int in = m.add_input({1, 4, 4, 3});
    schema::ResizeBilinearOptionsT options;
    options.align_corners = align;
    options.half_pixel_centers = half;
    m.add_output(m.add_op(Op::RESIZE_BILINEAR, {in, m.add_ints({2}, {7, 9})}, {1, 7, 9, 3}, options));
    const Graph graph = imported(m);
    const auto& attr = std::get<ResizeAttr>(only_node(graph).attributes);
    EXPECT_EQ(attr.out_h, 7);
    EXPECT_EQ(attr.out_w, 9);
    EXPECT_EQ(attr.align_corners, align);
    EXPECT_EQ(attr.half_pixel_centers, half);
  }
}

struct SliceCase {
  const char* what;
  Dims in;
  std::vector<int32_t> begin, end, stride;
  int32_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
  bool offset;
  Dims out;
  // Per input dimension.
  std::vector<int32_t> first, step, size;
};

// The expected values follow by hand from the rules of the notation in square brackets.
const SliceCase kSlices[] = {
    {"[1:3, 0:2]", {4, 5}, {1, 0}, {3, 2}, {1, 1}, 0, 0, 0, 0, 0, false, {2, 2}, {1, 0}, {1, 1}, {2, 2}},
    {"[-3:-1, ::2]", {4, 5}, {-3, 0}, {-1, 0}, {1, 2}, 2, 2, 0, 0, 0, false, {2, 3}, {1, 0}, {1, 2}, {2, 3}},
    {"[::-1, 3:0:-2]", {4, 5}, {0, 3}, {0, 0}, {-1, -2}, 1, 1, 0, 0, 0, false, {4, 2}, {3, 3}, {-1, -2}, {4, 2}},
    {"[-99:99, 2:99]", {4, 5}, {-99, 2}, {99, 99}, {1, 1}, 0, 0, 0, 0, 0, false, {4, 3}, {0, 2}, {1, 1}, {4, 3}},
    {"[2]", {4, 5}, {2}, {3}, {1}, 0, 0, 0, 0, 1, false, {5}, {2, 0}, {1, 1}, {1, 5}},
    {"[-1, 1:3]", {4, 5}, {-1, 1}, {0, 3}, {1, 1}, 0, 0, 0, 0, 1, false, {2}, {3, 1}, {1, 1}, {1, 2}},
    {"[..., 1]", {2, 4, 5}, {0, 1}, {0, 2}, {1, 1}, 0, 0, 1, 0, 2, false, {2, 4}, {0, 0, 1}, {1, 1, 1}, {2, 4, 1}},
    {"[0:1, ..., 2:4]",
     {2, 3, 4, 5},
     {0, 0, 2},
     {1, 0, 4},
     {1, 1, 1},
     0,
     0,
     2,
     0,
     0,
     false,
     {1, 3, 4, 2},
     {0, 0, 0, 2},
     {1, 1, 1, 1},
     {1, 3, 4, 2}},
    {"[newaxis, 1:2]", {4, 5}, {0, 1}, {0, 2}, {1, 1}, 0, 0, 0, 1, 0, false, {1, 1, 5}, {1, 0}, {1, 1}, {1, 5}},
    {"offsets: 1 + 2, 0 + 3", {4, 5}, {1, 0}, {2, 3}, {1, 1}, 0, 0, 0, 0, 0, true, {2, 3}, {1, 0}, {1, 1}, {2, 3}},
};

TEST(ImportStridedSlice, MasksAndSigns) {
  for (const SliceCase& c : kSlices) {
    SCOPED_TRACE(c.what);
    ModelBuilder m;
    const int in = m.add_input(c.in);
    schema::StridedSliceOptionsT options;
    options.begin_mask = c.begin_mask;
    options.end_mask = c.end_mask;
    options.ellipsis_mask = c.ellipsis_mask;
    options.new_axis_mask = c.new_axis_mask;
    options.shrink_axis_mask = c.shrink_axis_mask;
    options.offset = c.offset;
    const Dims entries{static_cast<int32_t>(c.begin.size())};
    m.add_output(m.add_op(Op::STRIDED_SLICE,
                          {in, m.add_ints(entries, c.begin), m.add_ints(entries, c.end), m.add_ints(entries, c.stride)},
                          c.out, options));
    const Graph graph = imported(m);
    if (graph.order().empty()) continue;  // imported() has reported it
    const auto& attr = std::get<StridedSliceAttr>(only_node(graph).attributes);
    for (size_t d = 0; d < c.in.size(); ++d) {
      EXPECT_EQ(attr.begin[d], c.first[d]) << "dimension " << d;
      EXPECT_EQ(attr.stride[d], c.step[d]) << "dimension " << d;
      EXPECT_EQ(attr.size[d], c.size[d]) << "dimension " << d;
    }
    EXPECT_EQ(attr.shape, Shape(std::span<const int32_t>(c.out)));
  }
}

TEST(ImportConstants, AreFolded) {
  ModelBuilder m;
  const int in = m.add_input({1, 4});
  schema::AddOptionsT add;
  const int sum = m.add_op(Op::ADD, {m.add_floats({4}, {1, 2, 3, 4}), m.add_floats({1}, {10})}, {4}, add);
  const int row = m.add_op(Op::RESHAPE, {sum, m.add_ints({2}, {1, 4})}, {1, 4});
  m.add_output(m.add_op(Op::MUL, {in, row}, {1, 4}, schema::MulOptionsT()));
  const Graph graph = imported(m);
  ASSERT_EQ(graph.order().size(), 1u) << dump_text(graph);
  EXPECT_EQ(graph.floats(only_node(graph).inputs[1]), (std::vector<float>{11, 12, 13, 14}));
}

TEST(ImportShapes, UndeclaredShapesAreInferred) {
  ModelBuilder m;
  const int in = m.add_input({1, 6, 6, 2});
  const int relu = m.add_op(Op::RELU, {in}, {});
  m.add_output(m.add_op(Op::MAX_POOL_2D, {relu}, {}, pool_options(schema::Padding::VALID, 2, 2)));
  const Graph graph = imported(m);
  EXPECT_EQ(graph.value(graph.outputs.at(0)).shape, Shape({1, 3, 3, 2}));
}

TEST(ImportSubgraphs, OnlyTheFirstIsRead) {
  ModelBuilder m;
  m.add_output(m.add_op(Op::RELU, {m.add_input({1, 2})}, {1, 2}));
  m.model().subgraphs.push_back(std::make_unique<schema::SubGraphT>());
  EXPECT_EQ(imported(m).order().size(), 1u);
}

TEST(ImportSubgraphs, ASignatureNamesOne) {
  ModelBuilder m;
  m.add_output(m.add_op(Op::RELU, {m.add_input({1, 2})}, {1, 2}));
  m.begin_subgraph();
  m.add_output(m.add_op(Op::TANH, {m.add_input({1, 3})}, {1, 3}));
  for (const uint32_t subgraph : {0u, 1u, 7u}) {
    m.model().signature_defs.push_back(std::make_unique<schema::SignatureDefT>());
    m.model().signature_defs.back()->signature_key = "s" + std::to_string(subgraph);
    m.model().signature_defs.back()->subgraph_index = subgraph;
  }
  tflite::ImportOptions options;
  options.signature = "s1";
  const Result<Graph> graph = import_bytes(m.build(), options);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_EQ(only_node(*graph).op, OpType::kTanh);
  EXPECT_EQ(only_node(imported(m)).op, OpType::kRelu);
  options.signature = "s2";
  expect_refused(m, ErrorCode::kInvalidArgument, {"signature 's2' not found; signatures are 's0', 's1', 's7'"},
                 options);
  options.signature = "s7";
  expect_refused(m, ErrorCode::kInvalidModel, {"signature 's7' is that of subgraph 7, but there are 2"}, options);
  m.model().signature_defs.clear();
  expect_refused(m, ErrorCode::kInvalidArgument, {"'s7' not found; the file has none"}, options);
}

TEST(ImportGathers, AnEmbeddingIsARowOfATable) {
  ModelBuilder m;
  const int rows = m.add_input({3}, schema::TensorType::INT32, "rows");
  const int table = m.add_floats({4, 2}, {0, 1, 2, 3, 4, 5, 6, 7}, "table");
  m.add_output(m.add_op(Op::EMBEDDING_LOOKUP, {rows, table}, {3, 2}));
  const Graph graph = imported(m);
  EXPECT_EQ(only_node(graph).op, OpType::kGather);
  EXPECT_EQ(graph.value(only_node(graph).inputs[0]).name, "table");
  ModelBuilder flat;
  const int one = flat.add_input({3, 1}, schema::TensorType::INT32, "rows");
  flat.add_output(flat.add_op(Op::EMBEDDING_LOOKUP, {one, flat.add_filled({4, 2}, 1, "table")}, {3, 2}));
  expect_refused(flat, ErrorCode::kInvalidModel, {"EMBEDDING_LOOKUP #0", "'rows'", "of shape 3x1", "'table'"});
}

TEST(ImportTypes, IntegersAndBooleansMove) {
  for (const schema::TensorType type :
       {schema::TensorType::INT32, schema::TensorType::INT64, schema::TensorType::BOOL}) {
    ModelBuilder m;
    const int in = m.add_input({2, 6}, type);
    const int out = m.add_op(Op::RESHAPE, {in, m.add_ints({2}, {3, 4})}, {3, 4});
    m.tensor(out).type = type;
    m.add_output(out);
    const Graph graph = imported(m);
    EXPECT_EQ(graph.value(graph.outputs[0]).type, graph.value(graph.inputs[0]).type);
  }
}

TEST(ImportTypes, MustBeSupportedByTheOperator) {
  ModelBuilder taken;
  taken.add_output(taken.add_op(Op::LOGISTIC, {taken.add_input({4}, schema::TensorType::INT32, "numbers")}, {4}));
  expect_refused(taken, ErrorCode::kUnsupported, {"LOGISTIC #0", "'numbers' is int32", "takes float32"});
  ModelBuilder made;
  const int in = made.add_input({4}, schema::TensorType::INT32);
  made.add_output(made.add_op(Op::RESHAPE, {in, made.add_ints({2}, {2, 2})}, {2, 2}, "pairs"));
  expect_refused(made, ErrorCode::kUnsupported, {"RESHAPE #0", "'pairs' is float32 instead of int32"});
}

void set_quantization(ModelBuilder& m, int tensor, float scale, int64_t zero_point) {
  m.tensor(tensor).quantization = std::make_unique<schema::QuantizationParametersT>();
  m.tensor(tensor).quantization->scale = {scale};
  m.tensor(tensor).quantization->zero_point = {zero_point};
}

// The graph of an operator on bytes whose result has another scale and zero point than its data.
ModelBuilder requantizing(schema::BuiltinOperator op, const std::vector<int32_t>& others, const Dims& out,
                          ModelBuilder m = {}) {
  const int in = m.add_input({1, 2, 2, 1}, schema::TensorType::INT8);
  set_quantization(m, in, 0.5f, -7);
  std::vector<int32_t> inputs{in};
  inputs.insert(inputs.end(), others.begin(), others.end());
  const int result = m.add_op(op, inputs, out);
  m.tensor(result).type = schema::TensorType::INT8;
  set_quantization(m, result, 0.1f, 30);
  m.add_output(result);
  return m;
}

std::vector<int8_t> numbers_after(const Graph& graph) {
  HostTensor in(DataType::kInt8, graph.value(graph.inputs[0]).shape);
  const std::vector<int8_t> numbers{-128, -7, 0, 127};
  std::ranges::copy(numbers, in.as<int8_t>().begin());
  const auto results = value_of(ref::run(graph, {in}));
  return {results.at(0).as<int8_t>().begin(), results.at(0).as<int8_t>().end()};
}

// As in TensorFlow Lite, whatever the scales.
// A PADV2 from 0.5 and -7 to 0.1 and 30, with a padding value of 40.
ModelBuilder padding_with(float scale, int64_t zero_point) {
  ModelBuilder m;
  const int in = m.add_input({2, 3}, schema::TensorType::INT8);
  const int value = m.add_bytes({1}, schema::TensorType::INT8, {40});
  const int out = m.add_op(Op::PADV2, {in, m.add_ints({2, 2}, {0, 0, 1, 1}), value}, {2, 5});
  m.tensor(out).type = schema::TensorType::INT8;
  set_quantization(m, in, 0.5f, -7);
  set_quantization(m, value, scale, zero_point);
  set_quantization(m, out, 0.1f, 30);
  m.add_output(out);
  return m;
}

// In steps from the zero point, if it has the quantization of the result.
TEST(ImportQuantized, PadV2HasAValueOfTheResult) {
  const Graph graph = imported(padding_with(0.1f, 30));
  EXPECT_EQ(std::get<PadAttr>(graph.node(graph.order().back()).attributes).value, 10.0f);
  for (const auto& [scale, zero_point] : {std::pair{0.5f, 30}, {0.1f, -7}}) {
    expect_refused(padding_with(scale, zero_point), ErrorCode::kUnsupported,
                   {"PADV2", "padding values", "different quantizations"});
  }
}

// Only by the option, and only of 16 bits.
TEST(ImportQuantized, SumsByShifts) {
  const auto attributes_of = [](schema::TensorType type, bool option) {
    ModelBuilder m;
    const int a = m.add_input({2, 3}, type), b = m.add_input({2, 3}, type);
    schema::AddOptionsT options;
    options.pot_scale_int16 = option;
    const int out = m.add_op(Op::ADD, {a, b}, {2, 3}, options);
    m.tensor(out).type = type;
    for (const int tensor : {a, b, out}) set_quantization(m, tensor, 0.5f, 0);
    m.add_output(out);
    return only_node(imported(m)).attributes;
  };
  EXPECT_TRUE(std::holds_alternative<SumAttr>(attributes_of(schema::TensorType::INT16, true)));
  EXPECT_FALSE(std::holds_alternative<SumAttr>(attributes_of(schema::TensorType::INT16, false)));
  EXPECT_FALSE(std::holds_alternative<SumAttr>(attributes_of(schema::TensorType::INT8, true)));
}

TEST(ImportQuantized, LayoutOperatorsKeepTheNumbers) {
  const std::vector<int8_t> same{-128, -7, 0, 127};
  ModelBuilder reshape;
  const int shape = reshape.add_ints({2}, {1, 4});
  EXPECT_EQ(numbers_after(imported(requantizing(Op::RESHAPE, {shape}, {1, 4}, std::move(reshape)))), same);
  EXPECT_EQ(numbers_after(imported(requantizing(Op::SQUEEZE, {}, {2, 2}))), same);
  ModelBuilder transpose;
  const int axes = transpose.add_ints({4}, {0, 2, 1, 3});
  EXPECT_EQ(numbers_after(imported(requantizing(Op::TRANSPOSE, {axes}, {1, 2, 2, 1}, std::move(transpose)))),
            (std::vector<int8_t>{-128, 0, -7, 127}));
  // The padding is the zero point of the result.
  ModelBuilder pad;
  const int paddings = pad.add_ints({4, 2}, {0, 0, 0, 0, 0, 1, 0, 0});
  EXPECT_EQ(numbers_after(imported(requantizing(Op::PAD, {paddings}, {1, 2, 3, 1}, std::move(pad)))),
            (std::vector<int8_t>{-128, -7, 30, 0, 127, 30}));
}

using Op = schema::BuiltinOperator;

TEST(ImportTranspose, NegativeAxes) {
  ModelBuilder m;
  const int in = m.add_input({1, 2, 3, 4});
  m.add_output(m.add_op(Op::TRANSPOSE, {in, m.add_ints({4}, {0, -1, 1, 2})}, {1, 4, 2, 3}));
  EXPECT_EQ(std::get<TransposeAttr>(only_node(imported(m)).attributes).permutation, (std::vector<int32_t>{0, 3, 1, 2}));
}

TEST(ImportTranspose, RejectsInvalidPermutations) {
  ModelBuilder m;
  const int in = m.add_input({2, 3});
  m.add_output(m.add_op(Op::TRANSPOSE, {in, m.add_ints({2}, {1, 1})}, {3, 3}));
  expect_refused(m, ErrorCode::kInvalidModel, {"TRANSPOSE #0", "permutation"});
}

TEST(ImportSlice, SizeOfMinusOneReachesTheEnd) {
  ModelBuilder m;
  const int in = m.add_input({4, 5});
  m.add_output(m.add_op(Op::SLICE, {in, m.add_ints({2}, {1, 2}), m.add_ints({2}, {2, -1})}, {2, 3}));
  const auto attr = std::get<StridedSliceAttr>(only_node(imported(m)).attributes);
  EXPECT_EQ(attr.begin[1], 2);
  EXPECT_EQ(attr.size[1], 3);
}

TEST(ImportSlice, RejectsSlicesOutside) {
  ModelBuilder m;
  const int in = m.add_input({4, 5});
  m.add_output(m.add_op(Op::SLICE, {in, m.add_ints({2}, {1, 2}), m.add_ints({2}, {2, 4})}, {2, 4}));
  expect_refused(m, ErrorCode::kInvalidModel, {"SLICE #0", "exceeds dimension 1"});
}

int add_second_output(ModelBuilder& m, const Dims& dims) {
  const int tensor = m.add_tensor(dims);
  m.last_op().outputs.push_back(tensor);
  return tensor;
}

TEST(ImportSplit, EqualParts) {
  ModelBuilder m;
  const int in = m.add_input({1, 6});
  schema::SplitOptionsT options;
  options.num_splits = 2;
  m.add_output(m.add_op(Op::SPLIT, {m.add_ints({}, {-1}), in}, {1, 3}, options));
  m.add_output(add_second_output(m, {1, 3}));
  const Graph graph = imported(m);
  EXPECT_EQ(std::get<SplitAttr>(only_node(graph).attributes).sizes, (std::vector<int32_t>{3, 3}));
  EXPECT_EQ(only_node(graph).outputs.size(), 2u);
}

TEST(ImportSplit, RejectsOtherNumbersOfOutputs) {
  ModelBuilder m;
  const int in = m.add_input({1, 6});
  schema::SplitOptionsT options;
  options.num_splits = 3;
  m.add_output(m.add_op(Op::SPLIT, {m.add_ints({}, {1}), in}, {1, 2}, options));
  expect_refused(m, ErrorCode::kInvalidModel, {"SPLIT #0", "3 parts", "1 outputs"});
}

TEST(ImportSplit, OneSizeMayBeOpen) {
  ModelBuilder m;
  const int in = m.add_input({1, 6});
  m.add_output(m.add_op(Op::SPLIT_V, {in, m.add_ints({2}, {2, -1}), m.add_ints({}, {1})}, {1, 2}));
  m.add_output(add_second_output(m, {1, 4}));
  EXPECT_EQ(std::get<SplitAttr>(only_node(imported(m)).attributes).sizes, (std::vector<int32_t>{2, 4}));
}

TEST(ImportPack, AndUnpackOfConstants) {
  ModelBuilder m;
  const int in = m.add_input({2, 2});
  schema::UnpackOptionsT apart;
  apart.num = 2;
  const int first = m.add_op(Op::UNPACK, {m.add_floats({2, 2}, {1, 2, 3, 4})}, {2}, apart);
  const int second = add_second_output(m, {2});
  schema::PackOptionsT together;
  together.values_count = 2;
  together.axis = -1;
  const int packed = m.add_op(Op::PACK, {first, second}, {2, 2}, together);
  m.add_output(m.add_op(Op::ADD, {in, packed}, {2, 2}));
  const Graph graph = imported(m);
  EXPECT_EQ(graph.floats(only_node(graph).inputs[1]), (std::vector<float>{1, 3, 2, 4}));
}

TEST(ImportReverse, RunsBackwards) {
  ModelBuilder m;
  const int in = m.add_input({4, 5});
  m.add_output(m.add_op(Op::REVERSE_V2, {in, m.add_ints({1}, {1})}, {4, 5}));
  const auto attr = std::get<StridedSliceAttr>(only_node(imported(m)).attributes);
  EXPECT_EQ(attr.begin[1], 4);
  EXPECT_EQ(attr.stride[1], -1);
  EXPECT_EQ(attr.stride[0], 1);
}

TEST(ImportMirrorPad, RejectsPaddingLargerThanTheData) {
  ModelBuilder m;
  const int in = m.add_input({2, 2});
  m.add_output(m.add_op(Op::MIRROR_PAD, {in, m.add_ints({2, 2}, {0, 2, 0, 0})}, {4, 2}, schema::MirrorPadOptionsT()));
  expect_refused(m, ErrorCode::kInvalidModel, {"MIRROR_PAD #0", "padding of 2"});
}

TEST(ImportBlocks, PaddingsAndCrops) {
  ModelBuilder m;
  const int in = m.add_input({1, 3, 4, 2});
  const int blocks = m.add_ints({2}, {2, 2}), borders = m.add_ints({2, 2}, {1, 0, 0, 0});
  const int batches = m.add_op(Op::SPACE_TO_BATCH_ND, {in, blocks, borders}, {4, 2, 2, 2});
  m.add_output(m.add_op(Op::BATCH_TO_SPACE_ND, {batches, blocks, borders}, {1, 3, 4, 2}));
  EXPECT_EQ(imported(m).order().size(), 2u);
}

// Converters write 1 for unknown dimensions, with -1 in the shape signature.
TEST(ImportBlocks, UnknownShapesAreInferred) {
  for (const bool supposed : {true, false}) {
    ModelBuilder m;
    const int in = m.add_input({1, 4, 4, 2});
    const int blocks = m.add_ints({2}, {2, 2}), none = m.add_ints({2, 2}, {0, 0, 0, 0});
    const int out = m.add_op(Op::SPACE_TO_BATCH_ND, {in, blocks, none}, {1, 1, 1, 2});
    if (supposed) m.tensor(out).shape_signature = {-1, -1, -1, 2};
    m.add_output(out);
    if (supposed) {
      EXPECT_EQ(imported(m).value(1).shape, Shape({4, 2, 2, 2}));
    } else {
      expect_refused(m, ErrorCode::kInvalidModel, {"declared as 1x1x1x2"});
    }
  }
}

TEST(ImportGather, ComputedIndices) {
  ModelBuilder m;
  const int in = m.add_input({4, 5});
  const int indices = m.add_input({2}, schema::TensorType::INT32);
  schema::GatherOptionsT options;
  options.axis = -1;
  m.add_output(m.add_op(Op::GATHER, {in, indices}, {4, 2}, options));
  const Graph graph = imported(m);
  EXPECT_EQ(std::get<GatherAttr>(only_node(graph).attributes).axis, 1);
  EXPECT_EQ(only_node(graph).inputs.size(), 2u);
}

TEST(ImportGatherNd, RejectsTooManyCoordinates) {
  ModelBuilder m;
  const int in = m.add_input({4, 5});
  m.add_output(m.add_op(Op::GATHER_ND, {in, m.add_input({2, 3}, schema::TensorType::INT32)}, {2}));
  expect_refused(m, ErrorCode::kInvalidModel, {"GATHER_ND #0", "3 coordinates"});
}

}  // namespace
}  // namespace sightglass::test
