// Model: its inputs and outputs, and the sources of its bytes.
#include "sightglass/model.h"

#include <filesystem>
#include <functional>

#include "gpu_engine/model_internals.h"
#include "harness/scratch_folder.h"
#include "import_test.h"

namespace sightglass::test {
namespace {

using Op = schema::BuiltinOperator;

OutputActivation activation_after(const std::function<int(ModelBuilder&, int)>& tail) {
  ModelBuilder m;
  const int logits = add_pointwise_head(m, 4, {1, 0, 0, 0, 1, 0}, {0, 0});
  m.add_output(tail(m, logits));
  const auto model = Model::load(m.build(), "m.tflite");
  EXPECT_TRUE(model.ok()) << model.status().message();
  return model.ok() ? (*model)->output_activation(0) : OutputActivation::kNone;
}

TEST(Model, OutputActivation) {
  const Dims shape{1, 4, 4, 2};
  EXPECT_EQ(activation_after([](ModelBuilder&, int logits) { return logits; }), OutputActivation::kNone);
  EXPECT_EQ(activation_after([&](ModelBuilder& m, int logits) { return m.add_op(Op::LOGISTIC, {logits}, shape); }),
            OutputActivation::kSigmoid);
  EXPECT_EQ(activation_after([&](ModelBuilder& m, int logits) {
              const int softmax = m.add_op(Op::SOFTMAX, {logits}, shape, softmax_options());
              return m.add_op(Op::RESHAPE, {softmax, m.add_ints({2}, {16, 2})}, {16, 2});
            }),
            OutputActivation::kSoftmax);
  EXPECT_EQ(activation_after([&](ModelBuilder& m, int logits) {
              return m.add_op(Op::EXP, {m.add_op(Op::LOGISTIC, {logits}, shape)}, shape);
            }),
            OutputActivation::kNone);
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
