// glsegment's request pad "mask", and that of glsegmentbin, which passes it on.
#include <gst/app/gstappsink.h>
#include <gst/gl/gl.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gl_faults.h"
#include "mask_meta.h"
#include "red_picture.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int32_t kSize = 64;

// The bin has an element "segment" inside, which TestPipeline takes for the one under test.
std::string pipeline_with_masks(const std::string& properties = "", const std::string& factory = "glsegment") {
  const std::string name = factory == "glsegment" ? "segment" : "bin";
  return factory + " name=" + name + " model=" + red_model() + " " + properties + " " + name +
         ".mask ! queue ! gldownload ! video/x-raw,format=GRAY8 ! appsink name=masks sync=false async=false " + name +
         ".src ! queue";
}

struct Mask {
  GstClockTime time = GST_CLOCK_TIME_NONE;
  int width = 0, left = -1, right = -1;
};

class MaskSink {
 public:
  explicit MaskSink(const TestPipeline& pipeline) : sink_(gst_bin_get_by_name(GST_BIN(pipeline.pipeline()), "masks")) {}
  ~MaskSink() { gst_object_unref(sink_); }
  Mask pull(GstClockTime patience = 10 * GST_SECOND) const {
    Mask mask;
    GstSample* sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink_), patience);
    if (sample == nullptr) return mask;
    GstStructure* structure = gst_caps_get_structure(gst_sample_get_caps(sample), 0);
    gst_structure_get_int(structure, "width", &mask.width);
    GstBuffer* buffer = gst_sample_get_buffer(sample);
    mask.time = GST_BUFFER_PTS(buffer);
    GstMapInfo map;
    if (gst_buffer_map(buffer, &map, GST_MAP_READ)) {
      const auto row = static_cast<size_t>(mask.width) * 8;
      mask.left = map.data[row + 2];
      mask.right = map.data[row + static_cast<size_t>(mask.width) - 3];
      gst_buffer_unmap(buffer, &map);
    }
    gst_sample_unref(sample);
    return mask;
  }
  bool at_end() const { return gst_app_sink_is_eos(GST_APP_SINK(sink_)) != FALSE; }

 private:
  GstElement* sink_;
};

class MaskPadOf : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Elements, MaskPadOf, testing::Values("glsegment", "glsegmentbin"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(MaskPadOf, HasEveryFramesMask) {
  TestPipeline pipeline(pipeline_with_masks("", GetParam()));
  const MaskSink masks(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int i = 0; i < 6; ++i) {
    const bool left = i % 2 == 0;
    ASSERT_TRUE(pipeline.pass(picture(kSize, kSize, [=](int32_t x, int32_t) { return (x < kSize / 2) == left; })))
        << pipeline.error();
    const Mask mask = masks.pull();
    EXPECT_EQ(mask.width, 16) << "the model's size";
    EXPECT_EQ(mask.left, left ? 255 : 0) << i;
    EXPECT_EQ(mask.right, left ? 0 : 255) << i;
    EXPECT_NEAR(static_cast<double>(mask.time), i * 1e9 / 30, 1e3);
  }
  pipeline.push_eos();
  EXPECT_FALSE(pipeline.pull());
  EXPECT_EQ(masks.pull().width, 0);
  EXPECT_TRUE(masks.at_end());
  EXPECT_EQ(pipeline.error(), "");
}

TEST(MaskPad, FollowsFlushesAndSizes) {
  TestPipeline pipeline(pipeline_with_masks());
  const MaskSink masks(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (const int32_t size : {kSize, 2 * kSize}) {
    ASSERT_TRUE(pipeline.pass(left_half_red(size, size))) << pipeline.error();
    EXPECT_EQ(masks.pull().left, 255);
  }
  ASSERT_TRUE(pipeline.flush());
  ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  EXPECT_EQ(masks.pull().left, 255);
}

TEST(MaskPad, EndsWithoutAFrame) {
  TestPipeline pipeline(pipeline_with_masks());
  const MaskSink masks(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  pipeline.push_eos();
  EXPECT_FALSE(pipeline.pull());
  EXPECT_EQ(masks.pull().width, 0);
  EXPECT_TRUE(masks.at_end());
}

// A stream that is not looked at costs nothing: no mask is made.
TEST_P(MaskPadOf, CostsNothingUnlinked) {
  TestPipeline pipeline(GetParam() + std::string(" name=outer model=") + red_model());
  GstElement* outer = gst_bin_get_by_name(GST_BIN(pipeline.pipeline()), "outer");
  GstPad* pad = gst_element_request_pad_simple(outer, "mask");
  ASSERT_NE(pad, nullptr);
  bool has_mask = false;
  GstPad* src = gst_element_get_static_pad(outer, "src");
  gst_pad_add_probe(
      src, GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad*, GstPadProbeInfo* info, gpointer seen) {
        *static_cast<bool*>(seen) = sightglass_buffer_get_mask_meta(GST_PAD_PROBE_INFO_BUFFER(info)) != nullptr;
        return GST_PAD_PROBE_OK;
      },
      &has_mask, nullptr);
  gst_object_unref(src);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  EXPECT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  EXPECT_FALSE(has_mask);
  EXPECT_EQ(pipeline.error(), "");
  pipeline.set_state(GST_STATE_NULL, true);
  gst_element_release_request_pad(outer, pad);
  gst_object_unref(pad);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  EXPECT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  gst_object_unref(outer);
}

// Who has enough of masks gives the pad back; the pictures go on.
TEST_P(MaskPadOf, CanBeGivenBackWhilePlaying) {
  TestPipeline pipeline(GetParam() + std::string(" name=outer model=") + red_model());
  GstElement* outer = gst_bin_get_by_name(GST_BIN(pipeline.pipeline()), "outer");
  GstPad* pad = gst_element_request_pad_simple(outer, "mask");
  GstElement* sink = gst_parse_bin_from_description("queue ! fakesink async=false sync=false", TRUE, nullptr);
  gst_bin_add(GST_BIN(pipeline.pipeline()), sink);
  GstPad* sink_pad = gst_element_get_static_pad(sink, "sink");
  ASSERT_EQ(gst_pad_link(pad, sink_pad), GST_PAD_LINK_OK);
  int masks = 0;
  gst_pad_add_probe(
      sink_pad, GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad* at, GstPadProbeInfo* info, gpointer count) {
        GstCaps* caps = gst_pad_get_current_caps(at);
        EXPECT_TRUE(gst_caps_features_contains(gst_caps_get_features(caps, 0), GST_CAPS_FEATURE_MEMORY_GL_MEMORY));
        gst_caps_unref(caps);
        EXPECT_TRUE(gst_is_gl_memory(gst_buffer_peek_memory(GST_PAD_PROBE_INFO_BUFFER(info), 0)));
        ++*static_cast<int*>(count);
        return GST_PAD_PROBE_OK;
      },
      &masks, nullptr);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  EXPECT_EQ(masks, 3);
  gst_element_release_request_pad(outer, pad);
  gst_object_unref(pad);
  EXPECT_FALSE(gst_pad_is_linked(sink_pad));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  EXPECT_EQ(masks, 3);
  EXPECT_EQ(pipeline.error(), "");
  gst_object_unref(sink_pad);
  gst_object_unref(outer);
}

// A frame without a mask is a gap of that stream's.
TEST(MaskPad, FailuresAreGaps) {
  install_gl_faults();
  TestPipeline pipeline(pipeline_with_masks("background=color"));
  const MaskSink masks(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  std::vector<GstClockTime> times;
  for (const int failing : {0, 1, 0}) {
    fail_gl("DispatchCompute", failing);
    ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  }
  for (int i = 0; i < 2; ++i) times.push_back(masks.pull().time);
  EXPECT_NEAR(static_cast<double>(times[1] - times[0]), 2e9 / 30, 1e3) << "the second frame has none";
}

}  // namespace
}  // namespace sightglass::test
