// Compares whole quantized models on the reference kernels with outputs of the built-in TensorFlow Lite kernels.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "gpu_engine/internals.h"
#include "harness/compare.h"
#include "harness/golden.h"
#include "ref/ref_ops.h"
#include "sightglass/model.h"

namespace sightglass::test {
namespace {

class RefQuantizedModelsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(RefQuantizedModelsTest, TracksTensorFlowLite) {
  const std::vector<GoldenCase> cases = golden_cases_of(GetParam());
  if (cases.empty()) GTEST_SKIP() << no_case(GetParam());
  for (const GoldenCase& golden : cases) {
    const auto model = Model::load(golden.model_file.string(), {QuantizedModels::kAllowed});
    ASSERT_TRUE(model.ok()) << model.status().message();
    const auto inputs = load_inputs(golden);
    ASSERT_TRUE(inputs.ok()) << inputs.status().message();
    const auto references = load_references(golden);
    ASSERT_TRUE(references.ok()) << references.status().message();
    const auto outputs = ref::run(graph_of(**model), *inputs);
    ASSERT_TRUE(outputs.ok()) << outputs.status().message();
    for (size_t i = 0; i < outputs->size(); ++i) {
      const Comparison comparison = compare((*references)[i].numbers, (*references)[i].part_of((*outputs)[i]));
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
