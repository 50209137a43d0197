#include "runtime/run_watch.h"

#include "harness/gl_test.h"

namespace sightglass::test {
namespace {

using RunWatchTest = GlTest;

TEST_F(RunWatchTest, ARunWithinItsLimitContinues) {
  RunWatch watch(gl(), std::chrono::hours(1));
  for (int part = 0; part < 4; ++part) {
    const Status status = watch.end_part();
    EXPECT_TRUE(status.ok()) << status.message();
  }
  EXPECT_EQ(gl().GetError(), static_cast<GLenum>(GL_NO_ERROR));
}

TEST_F(RunWatchTest, ARunBeyondItsLimitEnds) {
  RunWatch watch(gl(), std::chrono::nanoseconds(1));
  const Status status = watch.end_part();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), ErrorCode::kTimedOut);
  EXPECT_NE(status.message().find("longer than run-limit"), std::string::npos) << status.message();
  EXPECT_EQ(gl().GetError(), static_cast<GLenum>(GL_NO_ERROR));
}

}  // namespace
}  // namespace sightglass::test
