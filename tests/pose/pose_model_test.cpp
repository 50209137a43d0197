// Recognition of pose models, and errors for others.
#include "pose/pose_model.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "gpu_engine/internals.h"
#include "graph/graph.h"
#include "harness/golden.h"
#include "harness/value_of.h"
#include "ops/op_case.h"
#include "pose_case.h"

namespace sightglass::test {
namespace {

using Role = PoseModel::Role;

PoseModel load(const std::string& name, const PoseModelOptions& options = {}) {
  return value_of(load_pose_model((*shared_dir() / "models" / (name + ".tflite")).string(), options));
}

TEST(PoseModel, PublishedModelsAreRecognized) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  const PoseModel movenet = load("pose/movenet_singlepose_lightning_int8_v4");
  EXPECT_EQ(movenet.kind, PoseKind::kMoveNet);
  EXPECT_EQ(movenet.width, 192);
  EXPECT_EQ(movenet.plan_options.inputs[0].scale[1], 255);  // it takes bytes
  EXPECT_EQ(movenet.plan_options.outputs[0].target, OutputSpec::Target::kBuffer);
  EXPECT_STREQ(movenet.skeleton->points[5], "left_shoulder");

  const PoseModel small = load("pose/posenet_mnv1_075_353x481_quant");
  EXPECT_EQ(small.kind, PoseKind::kPoseNetMulti);
  EXPECT_EQ(small.rows, 23);
  EXPECT_EQ(small.columns, 31);
  EXPECT_TRUE(small.scores_are_logits);
  EXPECT_TRUE(small.has(Role::kForward));
  EXPECT_FALSE(small.has(Role::kBackward));  // in one output with the forward offsets

  const PoseModel large = load("pose/posenet_mnv1_100_257_multi_kpt_int8");
  EXPECT_EQ(large.kind, PoseKind::kPoseNetMulti);
  EXPECT_EQ(large.outputs[Role::kBackward], 0u);
  EXPECT_EQ(large.outputs[Role::kForward], 1u);
  EXPECT_EQ(large.outputs[Role::kHeat], 2u);
  EXPECT_EQ(large.plan_options.inputs[0].scale[0], 2.5F);

  const PoseModel detection = load("pose/blazepose_detection_224");
  EXPECT_EQ(detection.kind, PoseKind::kBlazePoseDetection);
  EXPECT_EQ(detection.rows, 2254);
}

TEST(PoseModel, TheBlazePoseMaskIsOnlyComputedOnRequest) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  const PoseModel landmarks = load("pose/blazepose_landmark_lite");
  EXPECT_EQ(landmarks.kind, PoseKind::kBlazePose);
  EXPECT_EQ(landmarks.skeleton->points.size(), 33u);
  EXPECT_TRUE(landmarks.has(Role::kWorld));
  EXPECT_FALSE(landmarks.has(Role::kMask));
  const PoseModel with_mask = load("pose/blazepose_landmark_lite", {.mask = true});
  ASSERT_TRUE(with_mask.has(Role::kMask));
  const OutputSpec& mask = with_mask.plan_options.outputs[with_mask.outputs[Role::kMask]];
  EXPECT_EQ(mask.target, OutputSpec::Target::kTexture);
  EXPECT_EQ(mask.activation, OutputActivation::kSigmoid);

  // Operators that only the mask needs are skipped without it.
  const auto work = [](const PoseModel& pose) {
    const auto plan = value_of(Plan::build(pose.model, DeviceLimits(), pose.plan_options));
    int64_t sum = 0;
    for (const StepInfo& step : plan->steps()) sum += step.multiply_adds;
    std::printf("%d dispatches, %lld million multiply-adds\n", plan->dispatches(),
                static_cast<long long>(sum / 1'000'000));
    return sum;
  };
  EXPECT_LT(work(landmarks), work(with_mask));
}

TEST(PoseModel, OtherModelsAreNamedWithTheirTensors) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  const auto file = [](const char* name) { return (*shared_dir() / "models" / name).string(); };
  expect_failure(load_pose_model(file("segmentation/deeplabv3_257_mv_gpu.tflite"), {}), {"a model for segmentation"});
  expect_failure(load_pose_model(file("ops/lite_add.tflite"), {}), {"lite_add.tflite"});
}

// It would read the alpha of frames as its previous mask.
TEST(PoseModel, AModelWithItsOwnPreviousMaskIsRefused) {
  const auto refused = load_pose_model(source_folder() / "models/figure/figure_recurrent.tflite", {});
  ASSERT_FALSE(refused.ok());
  expect_words(refused.status().message(), {"figure_recurrent.tflite", "previous mask", "glsegment"});
}

// A graph with only a convolution: 1 x 16 x 16 x 3 to the given number of channels.
Result<PoseModel> of_channels(int32_t channels) {
  CaseBuilder builder(1);
  builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, 1, 1, 1, 1},
               {builder.input({1, 16, 16, 3}), builder.constant({channels, 1, 1, 3}), kNone});
  auto model = value_of(model_from_graph(builder.build("cells").graph));
  return describe_pose_model(model, {});
}

TEST(PoseModel, ScoreImagesAreHeatmaps) {
  const auto coco = value_of(of_channels(17));
  EXPECT_EQ(coco.kind, PoseKind::kHeatMaps);
  EXPECT_EQ(coco.skeleton, &coco_skeleton());
  const auto other = value_of(of_channels(14));
  ASSERT_EQ(other.skeleton->points.size(), 14u);
  EXPECT_STREQ(other.skeleton->points[13], "point_13");
  expect_failure(of_channels(40), {"1x16x16x40"});
}

// Offsets are read at the cells of the scores, so the sizes must match.
TEST(PoseModel, OffsetsOfOtherSizesAreIgnored) {
  for (const int32_t stride : {1, 2}) {
    CaseBuilder builder(1);
    const ValueId picture = builder.input({1, 16, 16, 3});
    const auto convolution = [&](int32_t channels, int32_t step) {
      return builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, step, step, 1, 1},
                          {picture, builder.constant({channels, 1, 1, 3}), kNone});
    };
    const ValueId scores = convolution(17, 1), offsets = convolution(34, stride);
    Graph graph = builder.build("cells").graph;
    graph.outputs = {scores, offsets};
    const auto model = value_of(model_from_graph(std::move(graph)));
    const auto pose = value_of(describe_pose_model(model, {}));
    EXPECT_EQ(pose.kind, stride == 1 ? PoseKind::kPoseNet : PoseKind::kHeatMaps);
  }
}

TEST(Skeletons, BonesConnectPoints) {
  for (const Skeleton* skeleton : {&blazepose_skeleton(), &coco_skeleton()}) {
    for (const auto& [a, b] : skeleton->bones) {
      EXPECT_LT(a, skeleton->points.size());
      EXPECT_LT(b, skeleton->points.size());
      EXPECT_NE(a, b);
    }
  }
}

}  // namespace
}  // namespace sightglass::test
