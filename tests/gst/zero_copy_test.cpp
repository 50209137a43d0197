// No pixel crosses between CPU and GPU from glsegment's sink pad to its source pad, and nothing waits for the GPU.
#include <gtest/gtest.h>

#include <cstdio>

#include "harness/scratch_folder.h"
#include "test_pipeline.h"
#include "tiny_model.h"
#include "transfer_counter.h"

namespace sightglass::test {
namespace {

// Runs 100 frames and counts from the sink pad of `first` to the source pad of `last`.
std::map<std::string, int> count_transfers(const std::string& middle, const char* first, const char* last) {
  static const bool installed = [] {
    init_gstreamer();
    install_transfer_counter();
    return true;
  }();
  (void)installed;
  TestPipeline pipeline(middle);
  GstElement* enter = gst_bin_get_by_name(GST_BIN(pipeline.pipeline()), first);
  GstElement* leave = gst_bin_get_by_name(GST_BIN(pipeline.pipeline()), last);
  GstPad* enter_pad = gst_element_get_static_pad(enter, "sink");
  GstPad* leave_pad = gst_element_get_static_pad(leave, "src");
  EXPECT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  Rgba frame(320, 240);
  EXPECT_TRUE(pipeline.pass(frame)) << pipeline.error();  // pools and textures are allocated by the first frame
  count_between(enter_pad, leave_pad);
  reset_transfer_counts();
  for (int i = 0; i < 100; ++i) {
    frame.at(i, i)[0] = 255;
    EXPECT_TRUE(pipeline.pass(frame)) << pipeline.error();
  }
  auto counts = transfer_counts();
  for (const auto& [name, number] : counts) std::printf("%s: %d\n", name.c_str(), number);
  for (GstPad* pad : {enter_pad, leave_pad}) gst_object_unref(pad);
  for (GstElement* element : {enter, leave}) gst_object_unref(element);
  return counts;
}

class ZeroCopy : public ::testing::TestWithParam<const char*> {};

// glupload leaves the upload to the first who reads the texture: here, that is gleffects_identity.
TEST_P(ZeroCopy, HundredFramesWithoutATransfer) {
  const std::string png = scratch_folder() / "background.png";
  ASSERT_TRUE(save_png(Rgba(8, 8), png));
  const auto counts =
      count_transfers("gleffects_identity ! glsegment name=segment background=" + std::string(GetParam()) +
                          " background-location=" + png + " model=" + red_model(),
                      "segment", "segment");
  EXPECT_EQ(counts, (std::map<std::string, int>{{"frames", 100}}));
}

// Nor where the mask is smoothed and refined.
TEST(ZeroCopyRefined, HundredFramesWithoutATransfer) {
  for (const std::string refine : {"bilateral", "guided"}) {
    const auto counts = count_transfers(
        "gleffects_identity ! glsegment name=segment smoothing=0.5 refine=" + refine + " model=" + red_model(),
        "segment", "segment");
    EXPECT_EQ(counts, (std::map<std::string, int>{{"frames", 100}})) << refine;
  }
}

// Nor where the model runs behind the frames, a little of it in each.
TEST(ZeroCopyLatest, HundredFramesWithoutATransfer) {
  const auto counts =
      count_transfers("gleffects_identity ! glsegment name=segment mask-sync=latest gpu-budget=1 model=" + red_model(),
                      "segment", "segment");
  EXPECT_EQ(counts, (std::map<std::string, int>{{"frames", 100}}));
}

INSTANTIATE_TEST_SUITE_P(Backgrounds, ZeroCopy, ::testing::Values("blur", "color", "image", "transparent", "mask"),
                         [](const auto& info) { return std::string(info.param); });

// Between textures, glsegmentbin's uploads and downloads stand aside.
TEST(ZeroCopyBin, HundredFramesWithoutATransfer) {
  auto counts = count_transfers(
      "gleffects_identity ! glsegmentbin name=bin model=" + red_model() + " ! video/x-raw(memory:GLMemory)", "bin",
      "bin");
  counts.erase("glClientWaitSync");  // GStreamer's own elements wait for a fence from 1.26 on; glsegment does not
  EXPECT_EQ(counts, (std::map<std::string, int>{{"frames", 100}}));
}

// Planes are read as they are: there is no conversion on the way, and no upload.
TEST(ZeroCopyPlanes, HundredFramesWithoutATransfer) {
  for (const std::string format : {"NV12", "I420"}) {
    const auto counts = count_transfers("glcolorconvert ! video/x-raw(memory:GLMemory),format=" + format +
                                            " ! glsegment name=segment model=" + red_model(),
                                        "segment", "segment");
    EXPECT_EQ(counts, (std::map<std::string, int>{{"frames", 100}})) << format;
  }
}

// Masks for others stay on the GPU.
TEST(ZeroCopyMasks, HundredFramesWithoutATransfer) {
  const auto counts = count_transfers(
      "gleffects_identity ! glsegment name=segment attach-mask=true model=" + red_model(), "segment", "segment");
  EXPECT_EQ(counts, (std::map<std::string, int>{{"frames", 100}}));
}

// The counters see what an upload and a download do.
TEST(ZeroCopyControl, UploadAndDownloadAreCounted) {
  const auto counts =
      count_transfers("glsegment name=segment model=" + red_model() +
                          " ! gldownload ! videoconvert ! video/x-raw,format=I420 ! glupload ! glcolorconvert name=up",
                      "segment", "up");
  const auto number = [&](const char* name) { return counts.contains(name) ? counts.at(name) : 0; };
  EXPECT_EQ(number("frames"), 100);
  EXPECT_GE(number("CPU map of GL memory"), 100);
  EXPECT_GE(number("glReadPixels") + number("glGetTexImage"), 100);
  EXPECT_GE(number("glTexSubImage2D"), 100);
}

}  // namespace
}  // namespace sightglass::test
