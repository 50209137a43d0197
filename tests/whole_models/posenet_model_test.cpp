// Models that end with PosenetDecoderOp, on a photograph: the GPU must match the reference kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gpu_engine/internals.h"
#include "graph/graph.h"
#include "graph/posenet.h"
#include "harness/compare.h"
#include "harness/gl_test.h"
#include "harness/golden.h"
#include "harness/value_of.h"
#include "model/picture_input.h"
#include "ref/ref_ops.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

constexpr double kRelative = 1e-4;  // of the output range

class PosenetModelTest : public GlTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(PosenetModelTest, DecodesLikeTheReference) {
  const auto shared = shared_dir();
  const auto file = shared.value_or("../shared") / "second" / "models" / (std::string(GetParam()) + ".tflite");
  if (!shared || !std::filesystem::exists(file)) GTEST_SKIP() << "no " << file << ": no model to run";
  const auto model = value_of(Model::load(file.string(), {QuantizedModels::kAllowed}));
  const TensorInfo& info = model->inputs()[0];
  const auto file_of_picture = *shared / "second" / "media" / "mp_three_people.jpg";
  const auto picture = value_of(load_picture(file_of_picture.string(), device().limits.max_texture_size));
  const auto input = value_of(picture_to_tensor(picture, info.type, info.shape, {}));
  const auto expected = value_of(ref::run(graph_of(*model), {input}));
  EXPECT_GE(expected[posenet::kOutCount].as<float>()[0], 2);  // three people, one in front of two

  const auto plan = value_of(Plan::build(model, device().limits, {}));
  const auto session = value_of(Session::create(gl(), plan));
  ASSERT_TRUE(session->write_input(0, input.data).ok());
  ASSERT_TRUE(session->run().ok());
  for (size_t i = 0; i < expected.size(); ++i) {
    HostTensor got(model->outputs()[i].type, model->outputs()[i].shape);
    ASSERT_TRUE(session->read_output(i, got.data).ok());
    const Comparison figures = compare(expected[i], got);
    std::printf("MODEL %s out%zu %s: %s\n", GetParam(), i, got.shape.to_string().c_str(), to_string(figures).c_str());
    EXPECT_LE(figures.relative_max, kRelative) << "output " << i;
  }
  const auto scores = expected[posenet::kOutPoseScores].as<float>();
  for (int pose = 0; pose < static_cast<int>(expected[posenet::kOutCount].as<float>()[0]); ++pose) {
    const auto points = expected[posenet::kOutKeypoints].as<float>().subspan(static_cast<size_t>(pose) * 34, 2);
    std::printf("  pose %d: score %.3f, nose at %.1f, %.1f\n", pose,
                static_cast<double>(scores[static_cast<size_t>(pose)]), static_cast<double>(points[1]),
                static_cast<double>(points[0]));
  }
}

INSTANTIATE_TEST_SUITE_P(Coral, PosenetModelTest,
                         ::testing::Values("posenet_mnv1_075_353x481_quant_decoder",
                                           "bodypix_mnv1_075_480x352_16_quant_decoder"));

}  // namespace
}  // namespace sightglass::test
