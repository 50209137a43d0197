// The errors of the elements on a context that is too old: the driver pretends to be (MESA_GLES_VERSION_OVERRIDE).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

// The version that the driver offers.
std::string version_found() {
  const char* const found = std::getenv("SIGHTGLASS_TEST_FOUND");
  EXPECT_NE(found, nullptr) << "SIGHTGLASS_TEST_FOUND is not set";
  return found == nullptr ? "" : found;
}

TEST(GlVersion, TooOldIsAnErrorThatNamesBothVersions) {
  const std::string found = version_found();
  for (const std::string& line :
       {"videotestsrc num-buffers=1 ! video/x-raw,format=RGBA,width=32,height=32 ! glupload ! "
        "glsegment model=" +
            red_model(),
        std::string("glfiguresrc num-buffers=1")}) {
    const std::string error = Launched(line + " ! fakesink").outcome();
    std::printf("%s\n", error.c_str());
    EXPECT_NE(error.find(found), std::string::npos) << line << ": " << error;
    EXPECT_NE(error.find("OpenGL ES 3.1"), std::string::npos) << line << ": " << error;
  }
}

}  // namespace
}  // namespace sightglass::test
