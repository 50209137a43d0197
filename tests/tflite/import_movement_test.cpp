// Operators that copy elements: parameter tensors become attributes, and each of several outputs is a tensor.
#include "import_test.h"

namespace sightglass::test {
namespace {

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
