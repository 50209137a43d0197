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
#include "harness/words.h"
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
  for (const std::string& part : parts) {
    EXPECT_NE(error.find(part), std::string::npos) << properties << ": no '" << part << "' in: " << error;
  }
}

TEST(GlSegmentErrors, NameWhatIsWrong) {
  const std::string model = "model=" + red_model(), image = "background=image " + model;
  const std::string text = scratch_folder() / "no_model.tflite", photograph = scratch_folder() / "photograph.tflite";
  std::ofstream(text) << "this is no TensorFlow Lite model";
  std::ofstream(photograph, std::ios::binary) << std::string("\xff\xd8\xff\xe0\0\x10JFIF\0\1\1", 13);
  expect_start_error("", {"no model is set", "figure"});
  expect_start_error("model=/nonexistent/model.tflite", {"/nonexistent/model.tflite"});
  expect_start_error("model=" + text, {text});
  expect_start_error("model=" + photograph, {photograph, "this is a JPEG image"});
  expect_start_error("model=hair-segmentor", {"'hair-segmentor'", "hair-segmenter", "sightglass models list"});
  expect_start_error("model=hair-segmenter", {"`sightglass models fetch hair-segmenter`"});
  expect_start_error("model=" + shaped_model({16, 16, 2, 1}), {"1x16x16x2", "x 3"});
  expect_start_error("model=" + red_model(Head::kVector), {"mask", "1x1x1x3"});
  expect_start_error("output=7 " + model, {"output 7"});
  expect_start_error("input-size=320 " + model, {"input-size=320:", "320x240"});
  expect_start_error("input-size=320x240 " + model, {"fixed size"});
  expect_start_error("classes=5 model=" + red_model(Head::kTwoSoftmax), {"channel 5", "0 to 1"});
  expect_start_error("classes=1;2 " + model, {"1;2"});
  expect_start_error("model=" + red_model(Head::kUnknownOp), {"SightglassTestOp"});
  expect_start_error("model=" + red_model(Head::kCpuOnly), {"TRANSPOSE_CONV #4", "fallback=cpu"});
  expect_start_error(image, {"background-location"});
  expect_start_error("background-location=/nonexistent/a.png " + image, {"/nonexistent/a.png"});
  for (const auto& [path, kind] : make_special_files(scratch_folder() / "special")) {
    expect_start_error("background-location=" + path + " " + image, {path, kind});
  }
}

TEST(GlSegmentErrors, NamedModelWasChanged) {
  const std::filesystem::path stored = scratch_folder() / "data/sightglass/models/hair_segmentation.tflite";
  std::filesystem::create_directories(stored.parent_path());
  std::filesystem::copy_file(red_model(), stored);
  expect_start_error("model=hair-segmenter", {stored, "SHA-256", "`sightglass models fetch hair-segmenter`"});
  std::filesystem::remove(stored);
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
      warnings.push_back(take_text(message));
    } else if (message != nullptr) {
      gst_message_unref(message);
    }
  }
  EXPECT_EQ(type, GST_MESSAGE_ERROR);
  gst_object_unref(bus);
  return warnings;
}

// Formats that glupload forwards, and only glcolorconvert can convert.
TEST(GlSegmentErrors, FormatNeedsAConversion) {
  for (const char* source : {"videotestsrc num-buffers=3 ! video/x-raw,format=YUY2",
                             "videotestsrc num-buffers=3 ! video/x-raw,format=RGB ! identity"}) {
    const std::string format = std::string(source).find("YUY2") != std::string::npos ? "YUY2" : "RGB ";
    const Launched pipeline(std::string(source) + " ! glupload ! glsegment model=" + red_model() + " ! fakesink");
    pipeline.play();
    const std::vector<std::string> warnings = warnings_before_the_error(pipeline.get());
    ASSERT_EQ(warnings.size(), 1U) << source;
    std::printf("%s\n", warnings[0].c_str());
    expect_words(warnings[0], {format.c_str(), "glcolorconvert"});
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
  expect_words(error, {path, std::string("30000x30000 pixels"), std::string("scale it down")});
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
