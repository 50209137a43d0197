// glsegmentbin's pad "background": another video behind the foreground.
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "red_picture.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int32_t kSize = 128;

class BackgroundVideoTest : public testing::Test {
 protected:
  void SetUp() override { init_gstreamer(); }
  void TearDown() override {
    if (pipeline_ == nullptr) return;
    gst_element_set_state(pipeline_, GST_STATE_NULL);
    gst_object_unref(pipeline_);
  }
  void launch(int back_rate, int32_t back_width, int32_t back_height) {
    const auto source = [](const std::string& name, int rate, int32_t width, int32_t height) {
      return "appsrc name=" + name + " format=time caps=video/x-raw,format=RGBA,width=" + std::to_string(width) +
             ",height=" + std::to_string(height) + ",framerate=" + std::to_string(rate) + "/1 ! ";
    };
    const std::string text = source("front", 30, kSize, kSize) +
                             "glsegmentbin name=bin softness=0 model=" + red_model() +
                             " ! video/x-raw,format=RGBA ! appsink name=sink sync=false " +
                             source("back", back_rate, back_width, back_height) + "bin.background";
    GError* error = nullptr;
    pipeline_ = gst_parse_launch(text.c_str(), &error);
    ASSERT_EQ(error, nullptr) << error->message;
    ASSERT_NE(gst_element_set_state(pipeline_, GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
  }
  void push(const char* name, const Rgba& frame, GstClockTime time, GstClockTime duration) {
    GstElement* source = gst_bin_get_by_name(GST_BIN(pipeline_), name);
    GstBuffer* buffer = gst_buffer_new_memdup(frame.pixels.data(), frame.pixels.size());
    GST_BUFFER_PTS(buffer) = time;
    GST_BUFFER_DURATION(buffer) = duration;
    gst_app_src_push_buffer(GST_APP_SRC(source), buffer);
    gst_object_unref(source);
  }
  void end(const char* name) {
    GstElement* source = gst_bin_get_by_name(GST_BIN(pipeline_), name);
    gst_app_src_end_of_stream(GST_APP_SRC(source));
    gst_object_unref(source);
  }
  struct Out {
    Rgba picture;
    GstClockTime time = 0;
  };
  std::vector<Out> outputs() {
    GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline_), "sink");
    std::vector<Out> all;
    while (GstSample* sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink), 20 * GST_SECOND)) {
      GstBuffer* buffer = gst_sample_get_buffer(sample);
      GstVideoInfo info;
      EXPECT_TRUE(gst_video_info_from_caps(&info, gst_sample_get_caps(sample)));
      Out out{Rgba(info.width, info.height), GST_BUFFER_PTS(buffer)};
      gst_buffer_extract(buffer, 0, out.picture.pixels.data(), out.picture.pixels.size());
      all.push_back(std::move(out));
      gst_sample_unref(sample);
    }
    EXPECT_TRUE(gst_app_sink_is_eos(GST_APP_SINK(sink)));
    gst_object_unref(sink);
    return all;
  }

  GstElement* pipeline_ = nullptr;
};

Rgba shade(int32_t width, int32_t height, int value) {
  Rgba frame(width, height);
  for (size_t i = 0; i < frame.pixels.size(); ++i) frame.pixels[i] = static_cast<uint8_t>(i % 4 == 3 ? 255 : value);
  return frame;
}

constexpr int kFrames = 10;
int shade_of(int frame) { return 20 + 20 * frame; }

// Every frame of the foreground is before the frame of the other video that is shown at its time.
TEST_F(BackgroundVideoTest, FramesMeetByTheirTimes) {
  for (const int rate : {30, 15}) {
    launch(rate, kSize, kSize);
    const int every = 30 / rate;
    for (int i = 0; i < kFrames; ++i) {
      const auto at = [](int frame) { return gst_util_uint64_scale(GST_SECOND, static_cast<guint64>(frame), 30); };
      push("front", left_half_red(kSize, kSize), at(i), at(i + 1) - at(i));
      if (i % every == 0) push("back", shade(kSize, kSize, shade_of(i)), at(i), at(i + every) - at(i));
    }
    end("front");
    end("back");
    const std::vector<Out> all = outputs();
    ASSERT_EQ(all.size(), static_cast<size_t>(kFrames)) << rate;
    for (int i = 0; i < kFrames; ++i) {
      const Out& out = all[static_cast<size_t>(i)];
      EXPECT_NEAR(static_cast<double>(out.time), i * 1e9 / 30, 1e6) << i;
      EXPECT_NEAR(out.picture.at(kSize - 16, 60)[0], shade_of(i / every * every), 1) << "frame " << i << " at " << rate;
      EXPECT_NEAR(out.picture.at(16, 60)[0], kRed[0], 1) << "the foreground is what it was";
      EXPECT_NEAR(out.picture.at(16, 60)[1], kRed[1], 1);
    }
    TearDown();
    pipeline_ = nullptr;
  }
}

// Of another shape, it covers the frame; and its last picture stays.
TEST_F(BackgroundVideoTest, CoversTheFrameAndOutlastsItsEnd) {
  launch(30, 4 * kSize, kSize);
  Rgba wide = shade(4 * kSize, kSize, 200);  // but for its ends, which hang over
  for (int32_t y = 0; y < kSize; ++y) {
    for (int32_t x = 0; x < kSize; ++x) wide.at(x, y)[0] = wide.at(4 * kSize - 1 - x, y)[0] = 0;
  }
  const GstClockTime step = GST_SECOND / 30;
  push("back", wide, 0, step);
  end("back");
  for (int i = 0; i < 5; ++i) {
    push("front", picture(kSize, kSize, [](int32_t, int32_t) { return false; }), static_cast<GstClockTime>(i) * step,
         step);
  }
  end("front");
  const std::vector<Out> all = outputs();
  ASSERT_EQ(all.size(), 5U);
  for (const Out& out : all) {
    ASSERT_EQ(out.picture.width, kSize);
    ASSERT_EQ(out.picture.height, kSize);
    for (const int32_t x : {2, kSize / 2, kSize - 3}) EXPECT_NEAR(out.picture.at(x, 60)[0], 200, 1) << x;
  }
}

TEST_F(BackgroundVideoTest, PadCanBeGivenBack) {
  GstElement* bin = gst_element_factory_make("glsegmentbin", nullptr);
  ASSERT_NE(bin, nullptr);
  gst_object_ref_sink(bin);
  const auto background = [bin] {
    gint value = 0;
    g_object_get(bin, "background", &value, nullptr);
    return value;
  };
  gst_util_set_object_arg(G_OBJECT(bin), "background", "color");
  const gint color = background();
  for (int i = 0; i < 3; ++i) {
    GstPad* pad = gst_element_request_pad_simple(bin, "background");
    ASSERT_NE(pad, nullptr);
    EXPECT_NE(background(), color);
    gst_element_release_request_pad(bin, pad);
    gst_object_unref(pad);
    EXPECT_EQ(background(), color) << "what was set before is back";
  }
  gst_object_unref(bin);
}

}  // namespace
}  // namespace sightglass::test
