// What glsegment says on a context that is too old: the driver is told to pretend (MESA_GLES_VERSION_OVERRIDE).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

TEST(GlVersion, TooOldIsAnErrorThatNamesFoundAndNeeded) {
  const std::string found = std::getenv("SIGHTGLASS_TEST_FOUND");
  TestPipeline pipeline("glsegment name=segment model=" + red_model());
  pipeline.set_state(GST_STATE_PLAYING);
  EXPECT_FALSE(pipeline.pass(Rgba(32, 32)));
  const std::string error = pipeline.error(5);
  std::printf("%s\n", error.c_str());
  EXPECT_NE(error.find(found), std::string::npos) << error;
  EXPECT_NE(error.find("OpenGL ES 3.1"), std::string::npos) << error;
}

}  // namespace
}  // namespace sightglass::test
