// The bundled models: their inputs and outputs, their encoding, which must match that of the TensorFlow Lite converter,
// and equal results on the GPU and the reference kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <random>

#include "gpu_engine/internals.h"
#include "graph/graph.h"
#include "harness/compare.h"
#include "harness/gl_test.h"
#include "harness/golden.h"
#include "harness/value_of.h"
#include "ref/ref_ops.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"
#include "tflite/model_file.h"

namespace sightglass::test {
namespace {

using tflite::schema::BuiltinOperator;

constexpr const char* kFigure = "figure";
constexpr const char* kRecurrent = "figure_recurrent";

class FigureModelTest : public GlTest, public ::testing::WithParamInterface<std::string> {
 protected:
  const std::string file_ = source_folder() / "models/figure" / (GetParam() + ".tflite");
};

INSTANTIATE_TEST_SUITE_P(Bundled, FigureModelTest, ::testing::Values(kFigure, kRecurrent),
                         [](const auto& info) { return info.param; });

// Blobs and noise: neither empty nor saturated.
HostTensor picture(const Shape& shape) {
  HostTensor result(DataType::kFloat32, shape);
  std::mt19937 random(1);  // the same numbers everywhere
  const int64_t width = shape.dim(2), depth = shape.dim(3);
  const auto values = result.as<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t pixel = static_cast<int64_t>(i) / depth, x = pixel % width, y = pixel / width;
    const double wave = std::sin(0.05 * static_cast<double>(x)) * std::cos(0.04 * static_cast<double>(y));
    values[i] = static_cast<float>(0.5 + 0.35 * wave + 0.1 * (static_cast<double>(random() % 1000) / 1000 - 0.5));
  }
  return result;
}

TEST_P(FigureModelTest, IsSmallAndDescribesItsInputsAndOutputs) {
  EXPECT_LE(std::filesystem::file_size(file_), 1000000U);
  const auto model = value_of(Model::load(file_));
  ASSERT_EQ(model->inputs().size(), 1U);
  EXPECT_EQ(model->inputs()[0].type, DataType::kFloat32);
  EXPECT_EQ(model->inputs()[0].shape.to_string(), GetParam() == kRecurrent ? "1x256x256x4" : "1x256x256x3");
  ASSERT_EQ(model->outputs().size(), 2U);
  EXPECT_EQ(model->outputs()[0].name, "person_mask");
  EXPECT_EQ(model->outputs()[0].shape.to_string(), "1x256x256x1");
  EXPECT_EQ(model->output_range(0), (ValueRange{0, 1}));
  EXPECT_EQ(model->outputs()[1].name, "key_point_heat_maps");
  EXPECT_EQ(model->outputs()[1].shape.to_string(), "1x64x64x17");

  const ModelMetadata& metadata = model->metadata();
  EXPECT_TRUE(metadata.problems.empty());
  ASSERT_EQ(metadata.inputs.size(), 1U);
  EXPECT_EQ(metadata.inputs[0].mean, std::vector<float>{0});
  EXPECT_EQ(metadata.inputs[0].deviation, std::vector<float>{255});
  ASSERT_EQ(metadata.outputs.size(), 2U);
  EXPECT_EQ(metadata.outputs[0].name, "person_mask");
}

// The lowest versions that support the network, which are those that the TensorFlow Lite converter writes.
TEST_P(FigureModelTest, OperatorsAndVersionsMatchTensorFlowLite) {
  const std::map<BuiltinOperator, int> versions{
      {BuiltinOperator::DEQUANTIZE, 3}, {BuiltinOperator::CONV_2D, 1},         {BuiltinOperator::DEPTHWISE_CONV_2D, 1},
      {BuiltinOperator::ADD, 1},        {BuiltinOperator::RESIZE_BILINEAR, 3}, {BuiltinOperator::LOGISTIC, 1}};
  const auto contents = value_of(read_model_file(file_, {}));
  const auto file = value_of(tflite::ModelFile::open(contents.bytes, contents.owner));
  EXPECT_EQ(file.model().operator_codes()->size(), versions.size());
  for (const auto* code : *file.model().operator_codes()) {
    // Older readers have only the narrow field.
    EXPECT_EQ(static_cast<int>(code->builtin_code()), static_cast<int>(code->deprecated_builtin_code()));
    const auto version = versions.find(code->builtin_code());
    ASSERT_NE(version, versions.end()) << static_cast<int>(code->builtin_code());
    EXPECT_EQ(code->version(), version->second) << static_cast<int>(code->builtin_code());
  }
  for (const auto* buffer : *file.model().buffers()) {
    if (buffer->data() == nullptr) continue;
    EXPECT_EQ((reinterpret_cast<const std::byte*>(buffer->data()->data()) - file.bytes().data()) % 16, 0);
  }
}

TEST_P(FigureModelTest, GpuComputesWhatTheReferenceComputes) {
  const auto model = value_of(Model::load(file_));
  const HostTensor input = picture(model->inputs()[0].shape);
  const auto expected = value_of(ref::run(graph_of(*model), {input}));
  for (const auto& [precision, tolerance] : {std::pair{Precision::kFp32, 1e-9}, {Precision::kFp16, 1e-3}}) {
    PlanOptions options;
    options.precision = precision;
    const auto plan = value_of(Plan::build(model, limits_for_half(), options));
    const auto session = value_of(Session::create(gl(), plan));
    ASSERT_TRUE(session->write_input(0, input.data).ok());
    ASSERT_TRUE(session->run().ok());
    for (size_t i = 0; i < expected.size(); ++i) {
      HostTensor got(expected[i].type, expected[i].shape);
      ASSERT_TRUE(session->read_output(i, got.data).ok());
      const Comparison comparison = compare(expected[i], got);
      std::printf("output %zu, %s: %s\n", i, precision == Precision::kFp32 ? "fp32" : "fp16",
                  to_string(comparison).c_str());
      EXPECT_LE(comparison.nmse, tolerance);
    }
  }
}

}  // namespace
}  // namespace sightglass::test
