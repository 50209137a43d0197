// Another thread ends the preparation of a model.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "gl/real_gl.h"
#include "gpu_engine/build_programs.h"
#include "gpu_engine/internals.h"
#include "harness/gl_test.h"
#include "ops/op_case.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

// Functions that count their calls, and request the end at one of them.
std::atomic<bool> requested;
int links = 0, dispatches = 0, ends_at_link = 0, ends_at_dispatch = 0;
void link_and_count(GLuint program) {
  real_gl->LinkProgram(program);
  if (++links == ends_at_link) requested = true;
}
void dispatch_and_count(GLuint x, GLuint y, GLuint z) {
  real_gl->DispatchCompute(x, y, z);
  if (++dispatches == ends_at_dispatch) requested = true;
}

// Convolutions that need three programs.
std::shared_ptr<const Model> three_programs() {
  CaseBuilder builder(81);
  const Padding2d same{PaddingMode::kSame, 0, 0, 0, 0};
  ValueId x = builder.input({1, 17, 13, 5});
  x = builder.node(OpType::kConv2d, Conv2dAttr{same}, {x, builder.constant({8, 3, 3, 5})});
  x = builder.node(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{same}, {x, builder.constant({1, 5, 5, 8})});
  builder.node(OpType::kConv2d, Conv2dAttr{}, {x, builder.constant({12, 1, 1, 8})}, Activation::kHardSwish);
  return model_from_graph(builder.build("three programs").graph).value();
}

class CancellationTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    real_gl = &gl();
    requested = false;
    links = dispatches = ends_at_link = ends_at_dispatch = 0;
    table_ = gl();
    table_.LinkProgram = link_and_count;
    table_.DispatchCompute = dispatch_and_count;
    group_ = ShareGroup::create(table_);
  }

  Status create() {
    const auto plan = Plan::build(model_, device().limits, {});
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    const CancellationScope scope(requested);
    return Session::create(group_, *plan).status();
  }

  const std::shared_ptr<const Model> model_ = three_programs();
  GlApi table_;
  std::shared_ptr<ShareGroup> group_;
};

TEST_F(CancellationTest, EndsBetweenPrograms) {
  ASSERT_TRUE(create().ok());
  const int all = links;
  ASSERT_GE(all, 3);
  links = 0;
  ends_at_link = 2;
  const Status ended = create();
  EXPECT_FALSE(ended.ok());
  EXPECT_NE(ended.message().find("canceled"), std::string::npos) << ended.message();
  EXPECT_EQ(links, 2);
  EXPECT_EQ(group_->contents().programs, 0);
  EXPECT_EQ(gl().GetError(), static_cast<GLenum>(GL_NO_ERROR));
}

TEST_F(CancellationTest, EndsBetweenFirstDispatches) {
  ends_at_dispatch = 1;
  EXPECT_FALSE(create().ok());
  EXPECT_EQ(dispatches, 1);
  EXPECT_EQ(gl().GetError(), static_cast<GLenum>(GL_NO_ERROR));
  requested = false;
  EXPECT_TRUE(create().ok()) << "the next one starts anew";
}

TEST_F(CancellationTest, ConcernsOnlyItsScope) {
  requested = true;
  EXPECT_TRUE(check_cancellation().ok());
  {
    const CancellationScope scope(requested);
    EXPECT_FALSE(check_cancellation().ok());
    const std::atomic<bool> never = false;
    {
      const CancellationScope inner(never);
      EXPECT_TRUE(check_cancellation().ok());
    }
    EXPECT_FALSE(check_cancellation().ok());
  }
  EXPECT_TRUE(check_cancellation().ok());
}

}  // namespace
}  // namespace sightglass::test
