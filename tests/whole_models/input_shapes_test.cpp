// A real model at sizes other than those in its file.
#include <gtest/gtest.h>

#include <set>
#include <span>

#include "gpu_engine/internals.h"
#include "harness/compare.h"
#include "harness/gl_test.h"
#include "harness/golden.h"
#include "harness/value_of.h"
#include "model/picture_input.h"
#include "plan/plan_data.h"
#include "ref/ref_ops.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

constexpr const char* kBodyPix = "segmentation/bodypix_float_050_8";

class InputShapesTest : public GlTest {
 protected:
  Result<std::shared_ptr<const Plan>> plan(const std::vector<InputShape>& shapes) {
    const auto path = real_model(kBodyPix);
    SIGHTGLASS_ASSIGN_OR_RETURN(auto model, Model::load(path.string(), {QuantizedModels::kAllowed, shapes}));
    return Plan::build(std::move(model), device().limits);
  }
};

std::set<ShaderKey> programs_of(const Plan& plan) {
  return {data_of(plan).programs.begin(), data_of(plan).programs.end()};
}

// Programs do not contain sizes. Images that are far smaller or larger would get programs with other tiles.
TEST_F(InputShapesTest, TheSameProgramsAtOtherSizes) {
  if (real_model(kBodyPix).empty()) GTEST_SKIP() << no_model(kBodyPix);
  const auto declared = value_of(plan({}));
  for (const Shape& shape : {Shape{1, 241, 257, 3}, Shape{1, 273, 209, 3}}) {
    const auto other = value_of(plan({{"sub_2", shape}}));
    EXPECT_EQ(other->model().inputs()[0].shape, shape);
    EXPECT_EQ(programs_of(*other), programs_of(*declared)) << shape.to_string();
  }
}

TEST_F(InputShapesTest, TheReferenceAgrees) {
  if (real_model(kBodyPix).empty()) GTEST_SKIP() << no_model(kBodyPix);
  const auto other = value_of(plan({{"0", Shape{1, 97, 129, 3}}}));
  const Model& model = other->model();
  HostTensor input(DataType::kFloat32, model.inputs()[0].shape);
  RandomStream(1).fill(DataType::kFloat32, input.data);
  const auto expected = value_of(ref::run(graph_of(model), {input}));

  const auto session = value_of(Session::create(gl(), other));
  ASSERT_TRUE(session->write_input(0, input.data).ok());
  ASSERT_TRUE(session->run().ok());
  HostTensor output(DataType::kFloat32, model.outputs()[0].shape);
  ASSERT_TRUE(session->read_output(0, output.data).ok());
  EXPECT_EQ(output.shape, (Shape{1, 13, 17, 1}));
  const Comparison comparison = compare(expected.front(), output);
  std::printf("%s\n", to_string(comparison).c_str());
  EXPECT_LE(comparison.relative_max, 1e-4);
}

}  // namespace
}  // namespace sightglass::test
