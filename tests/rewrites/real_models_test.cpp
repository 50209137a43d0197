// All rewrites on real models: the remaining operators, and equal results from the reference.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "gpu_engine/internals.h"
#include "harness/compare.h"
#include "harness/golden.h"
#include "ref/ref_ops.h"
#include "rewrites/rewrites.h"
#include "sightglass/model.h"

namespace sightglass::test {
namespace {

// Relative to the output range: folding rounds weights to float32 again, and sums are rounded at other points.
constexpr double kRelativeMax = 2e-5;

const char* const kModels[] = {
    "figure",
    "segmentation/mediapipe_selfie_segmenter_256",
    "segmentation/deeplabv3_257_mv_gpu",
    "segmentation/bodypix_float_050_8",
    "pose/blazepose_landmark_lite",
    "face/face_detection_short_range",
    "face/face_landmark_468_f16",
    "face/face_landmark_468_f32",
    "classify_detect/mobilenet_v1_0.25_224_float",
};

class RealModels : public ::testing::TestWithParam<const char*> {};

TEST_P(RealModels, AreUnchanged) {
  const std::vector<GoldenCase> cases = golden_cases_of(GetParam());
  if (cases.empty()) GTEST_SKIP() << no_case(GetParam());
  const auto model = Model::load(cases.front().model_file.string());
  ASSERT_TRUE(model.ok()) << model.status().message();
  const auto inputs = load_inputs(cases.front());
  ASSERT_TRUE(inputs.ok()) << inputs.status().message();
  const Graph& before = graph_of(**model);
  Graph after = before;
  const auto report = run_rewrites(after);
  ASSERT_TRUE(report.ok()) << report.status().message();

  std::map<std::string, int> applied;
  for (const RewriteReport::Entry& entry : report->applied) ++applied[entry.rewrite];
  std::printf("%s: %zu nodes, then %zu;", GetParam(), before.order().size(), after.order().size());
  for (const auto& [name, count] : applied) std::printf(" %s %d", name.c_str(), count);
  std::printf(" declined %zu\n", report->declined.size());
  EXPECT_LE(after.order().size(), before.order().size());

  const auto expected = ref::run(before, *inputs);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  const auto got = ref::run(after, *inputs);
  ASSERT_TRUE(got.ok()) << got.status().message();
  for (size_t i = 0; i < expected->size(); ++i) {
    const Comparison comparison = compare((*expected)[i], (*got)[i]);
    std::printf("  output %zu: %s\n", i, to_string(comparison).c_str());
    EXPECT_LE(comparison.relative_max, kRelativeMax) << "output " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Float, RealModels, ::testing::ValuesIn(kModels), [](const auto& info) {
  std::string name = info.param;
  name = name.substr(name.find('/') + 1);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace sightglass::test
