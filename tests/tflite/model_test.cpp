// Model: its inputs and outputs, and the sources of its bytes.
#include "sightglass/model.h"

#include <filesystem>
#include <functional>

#include "gpu_engine/internals.h"
#include "harness/scratch_folder.h"
#include "import_test.h"

namespace sightglass::test {
namespace {

using Op = schema::BuiltinOperator;

ValueRange range_after(const std::function<int(ModelBuilder&, int)>& tail) {
  ModelBuilder m;
  const int logits = add_pointwise_head(m, 4, {1, 0, 0, 0, 1, 0}, {0, 0});
  m.add_output(tail(m, logits));
  const auto model = Model::load(m.build(), "m.tflite");
  EXPECT_TRUE(model.ok()) << model.status().message();
  return model.ok() ? (*model)->output_range(0) : ValueRange();
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
  const auto open = Model::load(with_signature({1, -1, -1, 3}), "m.tflite");
  ASSERT_TRUE(open.ok()) << open.status().message();
  EXPECT_EQ((*open)->inputs()[0].open_dims, 0b0110u);
  ModelOptions options;
  options.open_size = ImageSize{6, 4};
  const auto sized = Model::load(with_signature({-1, -1, -1, 3}), "m.tflite", options);
  ASSERT_TRUE(sized.ok()) << sized.status().message();
  EXPECT_EQ((*sized)->inputs()[0].shape, Shape({1, 4, 6, 3}));
  EXPECT_EQ((*sized)->inputs()[0].open_dims, 0u);
  EXPECT_EQ((*sized)->outputs()[0].shape, Shape({1, 4, 6, 1}));
  const auto fixed = Model::load(with_signature({-1, 1, 1, 3}), "m.tflite", options);
  ASSERT_FALSE(fixed.ok());
  EXPECT_NE(fixed.status().message().find("fixed size"), std::string::npos) << fixed.status().message();
}

TEST(Model, InputsAndOutputs) {
  ModelBuilder m;
  m.add_output(add_pointwise_head(m, 8, {1, 0, 0}, {0}));
  const auto model = Model::load(m.build(), "pointwise");
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ((*model)->name(), "pointwise");
  ASSERT_EQ((*model)->inputs().size(), 1u);
  EXPECT_EQ((*model)->inputs()[0].name, "picture");
  EXPECT_EQ((*model)->inputs()[0].shape, Shape({1, 8, 8, 3}));
  EXPECT_EQ((*model)->outputs()[0].name, "logits");
  EXPECT_EQ((*model)->outputs()[0].shape, Shape({1, 8, 8, 1}));
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
  const auto directory = Model::load(scratch_folder());
  ASSERT_FALSE(directory.ok());
  EXPECT_NE(directory.status().message().find(scratch_folder()), std::string::npos) << directory.status().message();
  const std::string path = scratch_folder() / "empty.tflite";
  write_file(path, {});
  const auto empty = Model::load(path);
  ASSERT_FALSE(empty.ok());
  EXPECT_NE(empty.status().message().find("empty"), std::string::npos) << empty.status().message();
}

}  // namespace
}  // namespace sightglass::test
