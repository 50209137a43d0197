// Input shapes other than those in the file: everything that depends on shapes is resolved again.
#include "import_test.h"

namespace sightglass::test {
namespace {

using Op = schema::BuiltinOperator;
using Type = schema::TensorType;

tflite::ImportOptions with(std::vector<InputShape> shapes) {
  tflite::ImportOptions options;
  options.input_shapes = std::move(shapes);
  return options;
}

Graph imported_as(const ModelBuilder& builder, std::vector<InputShape> shapes) {
  Result<Graph> graph = import_bytes(builder.build(), with(std::move(shapes)));
  if (!graph.ok()) {
    ADD_FAILURE() << graph.status().message();
    return {};
  }
  const Status valid = verify(*graph);
  EXPECT_TRUE(valid.ok()) << valid.message();
  return std::move(graph).value();
}

TEST(InputShapes, ConvolutionsFollow) {
  ModelBuilder m;
  const int in = m.add_input({1, 8, 8, 2}, Type::FLOAT32, "frame");
  const int weights = m.add_filled({3, 3, 3, 2}, 1), bias = m.add_filled({3}, 1);
  m.add_output(m.add_op(Op::CONV_2D, {in, weights, bias}, {1, 4, 4, 3}, conv_options(schema::Padding::SAME, 2)));
  EXPECT_EQ(output_shape(imported_as(m, {{"frame", {2, 11, 5, 2}}})), (Shape{2, 6, 3, 3}));
  EXPECT_EQ(output_shape(imported_as(m, {{"0", {1, 1, 1, 2}}})), (Shape{1, 1, 1, 3}));
  EXPECT_EQ(output_shape(imported_as(m, {{"frame", {1, 8, 8, 2}}})), (Shape{1, 4, 4, 3}));
  expect_refused(m, ErrorCode::kUnsupported, {"CONV_2D #0", "'frame' as 1x8x8x3"}, with({{"frame", {1, 8, 8, 3}}}));
}

TEST(InputShapes, ParametersAreResolvedAgain) {
  ModelBuilder m;
  const int in = m.add_input({1, 8, 8, 2}, Type::FLOAT32, "frame");
  // All rows from the second on: the end depends on the input.
  schema::StridedSliceOptionsT slice;
  slice.end_mask = 0b1111;
  const int rows =
      m.add_op(Op::STRIDED_SLICE,
               {in, m.add_ints({4}, {0, 1, 0, 0}), m.add_ints({4}, {0, 0, 0, 0}), m.add_ints({4}, {1, 1, 1, 1})},
               {1, 7, 8, 2}, slice);
  schema::ReshapeOptionsT open;
  open.new_shape = {1, -1, 2};
  m.add_output(m.add_op(Op::RESHAPE, {rows}, {1, 56, 2}, open));
  EXPECT_EQ(output_shape(imported_as(m, {{"frame", {1, 5, 6, 2}}})), (Shape{1, 24, 2}));
}

TEST(InputShapes, FixedShapesAreNamed) {
  ModelBuilder reshape;
  int in = reshape.add_input({1, 4, 4, 2}, Type::FLOAT32, "frame");
  schema::ReshapeOptionsT fixed;
  fixed.new_shape = {1, 32};
  reshape.add_output(reshape.add_op(Op::RESHAPE, {in}, {1, 32}, fixed, "flat"));
  expect_refused(reshape, ErrorCode::kUnsupported, {"RESHAPE #0 (output 'flat')", "'frame' as 1x5x5x2"},
                 with({{"frame", {1, 5, 5, 2}}}));

  ModelBuilder dense;
  in = dense.add_input({1, 32}, Type::FLOAT32, "frame");
  dense.add_output(dense.add_op(Op::FULLY_CONNECTED, {in, dense.add_filled({3, 32}, 1), -1}, {1, 3},
                                schema::FullyConnectedOptionsT{}, "scores"));
  EXPECT_EQ(output_shape(imported_as(dense, {{"frame", {5, 32}}})), (Shape{5, 3}));
  expect_refused(dense, ErrorCode::kUnsupported, {"FULLY_CONNECTED #0 (output 'scores')", "'frame' as 1x40"},
                 with({{"frame", {1, 40}}}));
}

TEST(InputShapes, OpenDimensionsNeedOne) {
  ModelBuilder m;
  const int in = m.add_input({1, -1, -1, 2}, Type::FLOAT32, "frame");
  m.add_output(m.add_op(Op::RELU, {in}, {1, -1, -1, 2}));
  expect_refused(m, ErrorCode::kUnsupported, {"'frame'", "dynamic shape"});
  EXPECT_EQ(output_shape(imported_as(m, {{"frame", {1, 5, 6, 2}}})), (Shape{1, 5, 6, 2}));
}

TEST(InputShapes, WrongShapesAreRejected) {
  ModelBuilder m;
  const int a = m.add_input({1, 2}, Type::FLOAT32, "a"), b = m.add_input({1, 2}, Type::FLOAT32, "b");
  m.add_output(m.add_op(Op::ADD, {a, b}, {1, 2}));
  constexpr ErrorCode kArgument = ErrorCode::kInvalidArgument;
  expect_refused(m, kArgument, {"'c'", "0 'a', 1 'b'"}, with({{"c", {1, 2}}}));
  expect_refused(m, kArgument, {"'2'"}, with({{"2", {1, 2}}}));
  expect_refused(m, kArgument, {"'a'", "already has another shape"}, with({{"a", {1, 2}}, {"0", {1, 2}}}));
  expect_refused(m, kArgument, {"at least 1"}, with({{"a", {1, 0}}}));
  expect_refused(m, kArgument, {"at least 1"}, with({{"a", {-1}}}));
  expect_refused(m, kArgument, {"more than"}, with({{"a", {1 << 30, 1 << 30, 1 << 30}}}));
  EXPECT_EQ(output_shape(imported_as(m, {{"a", {4, 2}}, {"b", {4, 2}}})), (Shape{4, 2}));
}

}  // namespace
}  // namespace sightglass::test
