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
  TestPipeline pipeline("glsegment name=segment model=" + red_model());
  pipeline.set_state(GST_STATE_PLAYING);
  EXPECT_FALSE(pipeline.pass(Rgba(32, 32)));
  const std::string error = pipeline.error(5);
  std::printf("%s\n", error.c_str());
  EXPECT_NE(error.find(found), std::string::npos) << error;
  EXPECT_NE(error.find("OpenGL ES 3.1"), std::string::npos) << error;
}

TEST(GlVersion, FiguresNeedItToo) {
  const std::string found = version_found();
  init_gstreamer();
  GstElement* pipeline = gst_parse_launch("glfiguresrc num-buffers=1 ! fakesink", nullptr);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, GST_MESSAGE_ERROR);
  ASSERT_NE(message, nullptr);
  GError* error = nullptr;
  gst_message_parse_error(message, &error, nullptr);
  EXPECT_NE(std::string(error->message).find(found), std::string::npos) << error->message;
  EXPECT_NE(std::string(error->message).find("OpenGL ES 3.1"), std::string::npos) << error->message;
  g_error_free(error);
  gst_message_unref(message);
  gst_object_unref(bus);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}

}  // namespace
}  // namespace sightglass::test
