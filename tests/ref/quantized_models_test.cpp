// Compares whole quantized models on the reference kernels with outputs of the built-in TensorFlow Lite kernels.
#include <gtest/gtest.h>

#include <cstdio>
#include <ostream>
#include <string>

#include "gpu_engine/model_internals.h"
#include "harness/compare.h"
#include "harness/golden.h"
#include "ref/ref_ops.h"
#include "sightglass/model.h"

namespace sightglass::test {
namespace {

struct QuantizedModel {
  const char* name;
  // The recorded outputs are those of a TensorFlow Lite that rounded the products of int8 convolutions twice.
  // LiteRT 2.5.3 rounds them once, and its outputs for these models are byte for byte those of the reference (random
  // input, seed 1).
  double nmse;
};
// Names the test.
void PrintTo(const QuantizedModel& model, std::ostream* out) { *out << '"' << model.name << '"'; }

constexpr double kSame = 1e-4, kRoundedTwice = 1e-2;

class RefQuantizedModelsTest : public ::testing::TestWithParam<QuantizedModel> {};

TEST_P(RefQuantizedModelsTest, TracksTensorFlowLite) {
  const std::vector<GoldenCase> cases = golden_cases_of(GetParam().name);
  if (cases.empty()) GTEST_SKIP() << no_case(GetParam().name);
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
      std::printf("REF %s %s out%zu: %s\n", GetParam().name, golden.name.c_str(), i,
                  comparison.identical ? "identical" : to_string(comparison).c_str());
      // All integers are equal. Only the last bit of an exponential in a softmax differs.
      EXPECT_LE(comparison.nmse, GetParam().nmse) << golden.name << ", output " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EightBit, RefQuantizedModelsTest,
                         ::testing::Values(QuantizedModel{"classify_detect/mobilenet_v1_0.25_224_quant", kSame},
                                           QuantizedModel{"classify_detect/tf2_mobilenet_v2_1.0_224_ptq",
                                                          kRoundedTwice},
                                           QuantizedModel{"pose/posenet_mnv1_075_353x481_quant", kSame},
                                           QuantizedModel{"pose/posenet_mnv1_100_257_multi_kpt_int8", kRoundedTwice},
                                           QuantizedModel{"segmentation/deeplabv3_mnv2_dm05_pascal_quant", kSame},
                                           QuantizedModel{"segmentation/unet_person_08_dynrange", kSame}));

}  // namespace
}  // namespace sightglass::test
