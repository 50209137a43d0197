// Compares whole models on the reference kernels with TensorFlow Lite outputs: importer, shapes, and kernels together,
// without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "gpu_engine/internals.h"
#include "harness/compare.h"
#include "harness/golden.h"
#include "harness/value_of.h"
#include "ref/ref_ops.h"
#include "sightglass/model.h"

namespace sightglass::test {
namespace {

// The reference sums in double precision, TensorFlow Lite in float: only its rounding differs.
constexpr double kRelativeMax = 1e-4;  // of the output range

class RefModelsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(RefModelsTest, MatchesTensorFlowLite) {
  const std::vector<GoldenCase> cases = golden_cases_of(GetParam());
  if (cases.empty()) GTEST_SKIP() << no_case(GetParam());
  const auto model = value_of(Model::load(cases.front().model_file.string()));
  for (const GoldenCase& golden : cases) {
    const auto inputs = value_of(load_inputs(golden));
    const auto references = value_of(load_references(golden));

    const auto start = std::chrono::steady_clock::now();
    const auto outputs = ref::run(graph_of(*model), inputs);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    ASSERT_TRUE(outputs.ok()) << outputs.status().message();
    ASSERT_EQ(outputs->size(), references.size());
    for (size_t i = 0; i < outputs->size(); ++i) {
      const Comparison comparison = compare(references[i].numbers, references[i].part_of((*outputs)[i]));
      std::printf("REF %s %s out%zu: %s (%.2f s)\n", GetParam(), golden.name.c_str(), i, to_string(comparison).c_str(),
                  seconds.count());
      EXPECT_LE(comparison.relative_max, kRelativeMax)
          << golden.name << ", output " << i << ": " << to_string(comparison);
    }
  }
}

std::string test_name(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  name = name.substr(name.find('/') + 1);
  std::ranges::replace(name, '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Float, RefModelsTest,
                         ::testing::Values("figure", "segmentation/mediapipe_selfie_segmenter_256",
                                           "segmentation/deeplabv3_257_mv_gpu", "segmentation/bodypix_float_050_8",
                                           "pose/blazepose_landmark_lite", "face/face_detection_short_range",
                                           "face/face_landmark_468_f16", "face/face_landmark_468_f32",
                                           "classify_detect/mobilenet_v1_0.25_224_float"),
                         test_name);

class RefQuantizedModelsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(RefQuantizedModelsTest, TracksTensorFlowLite) {
  const std::vector<GoldenCase> cases = golden_cases_of(GetParam());
  if (cases.empty()) GTEST_SKIP() << no_case(GetParam());
  for (const GoldenCase& golden : cases) {
    const auto model = value_of(Model::load(golden.model_file.string(), {QuantizedModels::kAllowed}));
    const auto inputs = value_of(load_inputs(golden));
    const auto references = value_of(load_references(golden));
    const auto outputs = value_of(ref::run(graph_of(*model), inputs));
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Comparison comparison = compare(references[i].numbers, references[i].part_of(outputs[i]));
      std::printf("REF %s %s out%zu: %s\n", GetParam(), golden.name.c_str(), i,
                  comparison.identical ? "identical" : to_string(comparison).c_str());
      // All integers are equal. Only the last bit of an exponential in a softmax differs.
      EXPECT_LE(comparison.nmse, 1e-4) << golden.name << ", output " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    EightBit, RefQuantizedModelsTest,
    ::testing::Values("classify_detect/mobilenet_v1_0.25_224_quant", "classify_detect/tf2_mobilenet_v2_1.0_224_ptq",
                      "pose/posenet_mnv1_075_353x481_quant", "pose/posenet_mnv1_100_257_multi_kpt_int8",
                      "segmentation/deeplabv3_mnv2_dm05_pascal_quant", "segmentation/unet_person_08_dynrange"));

}  // namespace
}  // namespace sightglass::test
