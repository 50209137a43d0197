// glsegmentbin: its input and output formats. Otherwise it behaves like glsegment.
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <gtest/gtest.h>

#include <string>

#include "red_picture.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

std::string bin(const std::string& properties) {
  return "glsegmentbin name=bin model=" + red_model() + " " + properties;
}

void expect_mask(const std::optional<Rgba>& mask, const std::string& what) {
  ASSERT_TRUE(mask) << what;
  EXPECT_GT(mask->at(20, 60)[0], 250) << what;
  EXPECT_LT(mask->at(140, 60)[0], 5) << what;
}

// Frames in system memory, in formats of cameras and decoders, to the GPU and back.
TEST(GlSegmentBin, AcceptsAndOutputsSystemMemory) {
  for (const char* format : {"RGBA", "BGRx", "NV12", "I420", "YUY2"}) {
    const std::string caps = std::string(" ! video/x-raw,format=") + format + " ! ";
    PlayingPipeline pipeline("gldownload ! videoconvert" + caps + bin("background=mask") + caps +
                             "videoconvert ! video/x-raw,format=RGBA ! glupload");
    expect_mask(pipeline.pass(left_half_red(160, 120)), format + (": " + pipeline.error()));
  }
}

TEST(GlSegmentBin, LeavesTexturesOnTheGpu) {
  PlayingPipeline pipeline("gleffects_identity ! " + bin("background=mask") + " ! video/x-raw(memory:GLMemory)");
  expect_mask(pipeline.pass(left_half_red(160, 120)), pipeline.error());
}

TEST(GlSegmentBin, HasThePropertiesOfGlsegment) {
  TestPipeline pipeline(bin("threshold=0.25 classes=1"));
  GstElement* outer = part_of(pipeline.pipeline(), "bin");
  gfloat threshold = 0;
  g_object_get(pipeline.element(), "threshold", &threshold, nullptr);
  EXPECT_EQ(threshold, 0.25F);
  gchar* classes = nullptr;
  g_object_get(outer, "classes", &classes, nullptr);
  EXPECT_STREQ(classes, "1");
  g_free(classes);
}

TEST(GlSegmentBin, FollowsController) {
  TestPipeline pipeline(bin("background=mask threshold=0.5"));
  GstElement* outer = part_of(pipeline.pipeline(), "bin");
  GstControlSource* source = gst_interpolation_control_source_new();
  g_object_set(source, "mode", GST_INTERPOLATION_MODE_NONE, nullptr);
  gst_object_add_control_binding(GST_OBJECT(outer),
                                 gst_direct_control_binding_new_absolute(GST_OBJECT(outer), "threshold", source));
  gst_timed_value_control_source_set(GST_TIMED_VALUE_CONTROL_SOURCE(source), 0, 0.125);
  gst_timed_value_control_source_set(GST_TIMED_VALUE_CONTROL_SOURCE(source), GST_SECOND / 60, 0.75);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (const float expected : {0.125F, 0.75F}) {
    ASSERT_TRUE(pipeline.pass(left_half_red(160, 120))) << pipeline.error();
    gfloat threshold = 0;
    g_object_get(pipeline.element(), "threshold", &threshold, nullptr);
    EXPECT_EQ(threshold, expected);
  }
  gst_object_unref(source);
}

// The last element of the bin, after downstream has announced its caps.
TEST(GlSegmentBin, ExportsOnlyIfDownstreamNeedsDmabufs) {
  // From 1.24 on, the initial gldownload links only to DMA_DRM caps of DMABUFs.
  const char* alone = GST_CHECK_VERSION(1, 24, 0) ? "video/x-raw(memory:DMABuf),format=DMA_DRM,drm-format=XR24"
                                                  : "video/x-raw(memory:DMABuf),format=BGRx";
  for (const auto& [downstream, last] :
       {std::pair{alone, "export"}, std::pair{"video/x-raw(memory:DMABuf);video/x-raw", "download"}}) {
    const std::string text =
        "videotestsrc num-buffers=2 ! " + bin("") + " ! capsfilter caps=\"" + downstream + "\" ! fakesink async=false";
    const Launched pipeline(text);
    gst_element_set_state(pipeline.get(), GST_STATE_PAUSED);
    EXPECT_NE(part_of(pipeline["bin"], last), nullptr) << downstream;
  }
}

TEST(GlSegmentBin, ErrorsAreThoseOfGlsegment) {
  TestPipeline pipeline("glsegmentbin model=/nowhere/model.tflite");
  pipeline.set_state(GST_STATE_PLAYING);
  EXPECT_NE(pipeline.error(5).find("/nowhere/model.tflite"), std::string::npos);
}

}  // namespace
}  // namespace sightglass::test
