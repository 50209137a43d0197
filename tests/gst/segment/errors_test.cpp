// The errors of glsegment.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/picture_bomb.h"
#include "harness/scratch_folder.h"
#include "harness/special_files.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

// The start must fail from READY to PAUSED, before any frame, with an error that contains all `parts`.
void expect_start_error(const std::string& properties, std::initializer_list<std::string> parts) {
  TestPipeline pipeline("glsegment name=segment " + properties);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_READY, true));
  EXPECT_FALSE(pipeline.set_state(GST_STATE_PAUSED, true)) << properties;
  const std::string error = pipeline.error(5);
  std::printf("%s\n", error.c_str());
  for (const std::string& part : parts)
    EXPECT_NE(error.find(part), std::string::npos) << "no '" << part << "' in: " << error;
}

TEST(GlSegmentErrors, NoModel) { expect_start_error("", {"no model is set", "figure"}); }

TEST(GlSegmentErrors, ModelFileIsMissing) {
  expect_start_error("model=/nonexistent/model.tflite", {"/nonexistent/model.tflite"});
}

TEST(GlSegmentErrors, ModelFileIsNotAModel) {
  const std::string path = scratch_folder() / "no_model.tflite";
  std::ofstream(path) << "this is no TensorFlow Lite model";
  expect_start_error("model=" + path, {path});
}

TEST(GlSegmentErrors, ModelFileIsAPhotograph) {
  const std::string path = scratch_folder() / "photograph.tflite";
  std::ofstream(path, std::ios::binary) << std::string("\xff\xd8\xff\xe0\0\x10JFIF\0\1\1", 13);
  expect_start_error("model=" + path, {path, "this is a JPEG image"});
}

// The warnings that a pipeline posts before it ends with the expected error.
std::vector<std::string> warnings_before_the_error(GstElement* pipeline) {
  std::vector<std::string> warnings;
  GstBus* bus = gst_element_get_bus(pipeline);
  constexpr auto kTypes = static_cast<GstMessageType>(GST_MESSAGE_WARNING | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  GstMessageType type = GST_MESSAGE_WARNING;
  while (type == GST_MESSAGE_WARNING) {
    GstMessage* message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, kTypes);
    type = message != nullptr ? GST_MESSAGE_TYPE(message) : GST_MESSAGE_UNKNOWN;
    if (type == GST_MESSAGE_WARNING) {
      GError* warning = nullptr;
      gst_message_parse_warning(message, &warning, nullptr);
      warnings.emplace_back(warning->message);
      g_error_free(warning);
    }
    if (message != nullptr) gst_message_unref(message);
  }
  EXPECT_EQ(type, GST_MESSAGE_ERROR);
  gst_object_unref(bus);
  return warnings;
}

// Formats that glupload forwards, and only glcolorconvert can convert.
TEST(GlSegmentErrors, FormatNeedsAConversion) {
  init_gstreamer();
  for (const char* source : {"videotestsrc num-buffers=3 ! video/x-raw,format=YUY2",
                             "videotestsrc num-buffers=3 ! video/x-raw,format=RGB ! identity"}) {
    const std::string format = std::string(source).find("YUY2") != std::string::npos ? "YUY2" : "RGB ";
    const std::string text = std::string(source) + " ! glupload ! glsegment model=" + red_model() + " ! fakesink";
    GstElement* pipeline = gst_parse_launch(text.c_str(), nullptr);
    ASSERT_NE(pipeline, nullptr);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    const std::vector<std::string> warnings = warnings_before_the_error(pipeline);
    ASSERT_EQ(warnings.size(), 1U) << text;
    std::printf("%s\n", warnings[0].c_str());
    for (const char* part : {format.c_str(), "glcolorconvert"}) {
      EXPECT_NE(warnings[0].find(part), std::string::npos) << warnings[0];
    }
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
  }
}

TEST(GlSegmentErrors, ModelIsNeitherFileNorName) {
  expect_start_error("model=hair-segmentor", {"'hair-segmentor'", "hair-segmenter", "sightglass models list"});
}

TEST(GlSegmentErrors, NamedModelIsNotStored) {
  expect_start_error("model=hair-segmenter", {"`sightglass models fetch hair-segmenter`"});
}

TEST(GlSegmentErrors, NamedModelWasChanged) {
  const std::filesystem::path stored = scratch_folder() / "data/sightglass/models/hair_segmentation.tflite";
  std::filesystem::create_directories(stored.parent_path());
  std::filesystem::copy_file(red_model(), stored);
  expect_start_error("model=hair-segmenter", {stored, "SHA-256", "`sightglass models fetch hair-segmenter`"});
  std::filesystem::remove(stored);
}

TEST(GlSegmentErrors, InputIsNotAColorImage) {
  expect_start_error("model=" + red_model(Head::kGrayInput), {"1x16x16x1", "x 3"});
}

TEST(GlSegmentErrors, OutputIsNotAMask) {
  expect_start_error("model=" + red_model(Head::kVector), {"mask", "1x1x1x3"});
}

TEST(GlSegmentErrors, OutputDoesNotExist) { expect_start_error("output=7 model=" + red_model(), {"output 7"}); }

TEST(GlSegmentErrors, ClassDoesNotExist) {
  expect_start_error("classes=5 model=" + red_model(Head::kTwoSoftmax), {"channel 5", "0 to 1"});
}

TEST(GlSegmentErrors, ClassesAreNotAList) { expect_start_error("classes=1;2 model=" + red_model(), {"1;2"}); }

TEST(GlSegmentErrors, OperatorIsUnknown) {
  expect_start_error("model=" + red_model(Head::kUnknownOp), {"SightglassTestOp"});
}

TEST(GlSegmentErrors, OperatorRunsOnlyOnTheCpu) {
  expect_start_error("model=" + red_model(Head::kCpuOnly), {"TRANSPOSE_CONV #4", "fallback=cpu"});
}

TEST(GlSegmentErrors, ImageIsNotSet) {
  expect_start_error("background=image model=" + red_model(), {"background-location"});
}

TEST(GlSegmentErrors, ImageIsMissing) {
  expect_start_error("background=image background-location=/nonexistent/a.png model=" + red_model(),
                     {"/nonexistent/a.png"});
}

TEST(GlSegmentErrors, ImageIsNotARegularFile) {
  for (const auto& [path, kind] : make_special_files(scratch_folder() / "special")) {
    expect_start_error("background=image background-location=" + path + " model=" + red_model(), {path, kind});
  }
}

// The device is known once a GL context exists, when the caps of the first frame arrive.
TEST(GlSegmentErrors, ImageIsLargerThanATexture) {
  const std::string path = scratch_folder() / "bomb.png";
  std::ofstream(path, std::ios::binary) << png_bomb(30000, 30000);
  TestPipeline pipeline("glsegment name=segment background=image background-location=" + path +
                        " model=" + red_model());
  pipeline.set_state(GST_STATE_PLAYING);
  pipeline.push(Rgba(32, 32));
  const std::string error = pipeline.error(20);
  for (const std::string& part : {path, std::string("30000x30000 pixels"), std::string("scale it down")}) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }
}

TEST(GlSegmentErrors, AFailedStartCanBeRepaired) {
  TestPipeline pipeline("glsegment name=segment model=/nonexistent/model.tflite background=mask");
  EXPECT_FALSE(pipeline.set_state(GST_STATE_PAUSED, true));
  EXPECT_NE(pipeline.error(5), "");
  pipeline.set_state(GST_STATE_NULL, true);
  g_object_set(pipeline.element(), "model", red_model().c_str(), nullptr);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  EXPECT_TRUE(pipeline.pass(Rgba(32, 32))) << pipeline.error();
}

}  // namespace
}  // namespace sightglass::test
