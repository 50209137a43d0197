// Model: its inputs and outputs, the sources of its bytes, and input shapes other than those in the file, for which
// everything that depends on shapes is resolved again.
#include "sightglass/model.h"

#include <filesystem>
#include <functional>

#include "gpu_engine/internals.h"
#include "harness/scratch_folder.h"
#include "harness/value_of.h"
#include "import_test.h"

namespace sightglass::test {
namespace {

using Op = schema::BuiltinOperator;

ValueRange range_after(const std::function<int(ModelBuilder&, int)>& tail) {
  ModelBuilder m;
  const int logits = add_pointwise_head(m, 4, {1, 0, 0, 0, 1, 0}, {0, 0});
  m.add_output(tail(m, logits));
  const auto model = value_of(Model::load(m.build(), "m.tflite"));
  return model->output_range(0);
}

TEST(Model, OutputRange) {
  const Dims shape{1, 4, 4, 2};
  const ValueRange probabilities{0, 1};
  EXPECT_EQ(range_after([](ModelBuilder&, int logits) { return logits; }), ValueRange());
  EXPECT_EQ(range_after([&](ModelBuilder& m, int logits) { return m.add_op(Op::LOGISTIC, {logits}, shape); }),
            probabilities);
  EXPECT_EQ(range_after([&](ModelBuilder& m, int logits) {
              const int softmax = m.add_op(Op::SOFTMAX, {logits}, shape, softmax_options());
              return m.add_op(Op::RESHAPE, {softmax, m.add_ints({2}, {16, 2})}, {16, 2});
            }),
            probabilities);
  const ValueRange exponential = range_after(
      [&](ModelBuilder& m, int logits) { return m.add_op(Op::EXP, {m.add_op(Op::LOGISTIC, {logits}, shape)}, shape); });
  EXPECT_EQ(exponential.low, 1);
  EXPECT_NEAR(exponential.high, 2.71828, 1e-5);
}

// A file that leaves height and width open supposes 1 x 1.
TEST(Model, OpenSize) {
  const auto with_signature = [](const Dims& signature) {
    ModelBuilder m;
    m.add_output(add_pointwise_head(m, 1, {1, 0, 0}, {0}));
    m.tensor(0).shape_signature = signature;
    return m.build();
  };
  const auto open = value_of(Model::load(with_signature({1, -1, -1, 3}), "m.tflite"));
  EXPECT_EQ(open->inputs()[0].open_dims, 0b0110u);
  ModelOptions options;
  options.open_size = ImageSize{6, 4};
  const auto sized = value_of(Model::load(with_signature({-1, -1, -1, 3}), "m.tflite", options));
  EXPECT_EQ(sized->inputs()[0].shape, Shape({1, 4, 6, 3}));
  EXPECT_EQ(sized->inputs()[0].open_dims, 0u);
  EXPECT_EQ(sized->outputs()[0].shape, Shape({1, 4, 6, 1}));
  const auto fixed = Model::load(with_signature({-1, 1, 1, 3}), "m.tflite", options);
  ASSERT_FALSE(fixed.ok());
  EXPECT_NE(fixed.status().message().find("fixed size"), std::string::npos) << fixed.status().message();
  options.open_batch = 5;
  const auto both = value_of(Model::load(with_signature({-1, -1, -1, 3}), "m.tflite", options));
  EXPECT_EQ(both->inputs()[0].shape, Shape({5, 4, 6, 3}));
  EXPECT_EQ(both->outputs()[0].shape, Shape({5, 4, 6, 1}));
  const auto error_of = [&](const Dims& signature) {
    return Model::load(with_signature(signature), "m.tflite", options).status().message();
  };
  EXPECT_NE(error_of({1, -1, -1, 3}).find("fixed batch of 1; leave it unset"), std::string::npos);
  options.open_size.reset();
  const auto batch = value_of(Model::load(with_signature({-1, 1, 1, 3}), "m.tflite", options));
  EXPECT_EQ(batch->outputs()[0].shape, Shape({5, 1, 1, 1}));
  EXPECT_NE(error_of({-1, -1, -1, 3}).find("leaves 2 more dimensions open; set its size, too"), std::string::npos)
      << error_of({-1, -1, -1, 3});
}

TEST(Model, InputsAndOutputs) {
  ModelBuilder m;
  m.add_output(add_pointwise_head(m, 8, {1, 0, 0}, {0}));
  const auto model = value_of(Model::load(m.build(), "pointwise"));
  EXPECT_EQ(model->name(), "pointwise");
  ASSERT_EQ(model->inputs().size(), 1u);
  EXPECT_EQ(model->inputs()[0].name, "picture");
  EXPECT_EQ(model->inputs()[0].shape, Shape({1, 8, 8, 3}));
  EXPECT_EQ(model->outputs()[0].name, "logits");
  EXPECT_EQ(model->outputs()[0].shape, Shape({1, 8, 8, 1}));
}

TEST(Model, FileAndBytesGiveTheSameGraph) {
  ModelBuilder m;
  m.add_output(add_pointwise_head(m, 8, {1, 0, 0}, {0}));
  const std::string path = scratch_folder() / "model.tflite";
  write_file(path, m.build());
  const auto from_file = Model::load(path);
  const auto from_bytes = Model::load(m.build(), path);
  std::filesystem::remove(path);  // the mapping stays
  ASSERT_TRUE(from_file.ok()) << from_file.status().message();
  ASSERT_TRUE(from_bytes.ok()) << from_bytes.status().message();
  EXPECT_EQ(dump_text(graph_of(**from_file)), dump_text(graph_of(**from_bytes)));
  const Graph& graph = graph_of(**from_file);
  EXPECT_EQ(graph.floats(graph.node(graph.order().at(0)).inputs.at(1)), (std::vector<float>{1, 0, 0}));
}

TEST(Model, DirectoriesAndEmptyFilesAreRejected) {
  expect_failure(Model::load(scratch_folder()), {scratch_folder()});
  const std::string path = scratch_folder() / "empty.tflite";
  write_file(path, {});
  const auto empty = Model::load(path);
  ASSERT_FALSE(empty.ok());
  EXPECT_NE(empty.status().message().find("empty"), std::string::npos) << empty.status().message();
}

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
