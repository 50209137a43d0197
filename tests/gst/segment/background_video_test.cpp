// The pad "background" of glsegmentbin: a second video behind the foreground.
#include <cstdio>

#include "background_video_case.h"

namespace sightglass::test {
namespace {

using BackgroundVideoTest = BackgroundVideoCase;

constexpr int kFrames = 10;
int shade_of(int frame) { return 20 + 20 * frame; }

// Every foreground frame has the background frame that is shown at its time.
TEST_F(BackgroundVideoTest, FramesAreMatchedByTime) {
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
      EXPECT_NEAR(out.picture.at(16, 60)[0], kRed[0], 1) << "the foreground is unchanged";
      EXPECT_NEAR(out.picture.at(16, 60)[1], kRed[1], 1);
    }
    TearDown();
  }
}

// With another aspect ratio, it covers the frame. Its last frame stays.
TEST_F(BackgroundVideoTest, CoversTheFrameAndStaysAfterItsEnd) {
  launch(30, 4 * kSize, kSize);
  Rgba wide = shade(4 * kSize, kSize, 200);  // except for its ends, which are cropped
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

// As with images, the light of the other video falls on the edge of the foreground, and background-fit=contain shows it
// completely.
TEST_F(BackgroundVideoTest, AppliesLightWrapAndFit) {
  const auto second_picture = [this](const std::string& properties) {
    launch(30, 2 * kSize, kSize, properties + " background-color=0xff0000ff");
    const GstClockTime step = GST_SECOND / 30;
    for (int i = 0; i < 2; ++i) {
      push("back", shade(2 * kSize, kSize, 255), static_cast<GstClockTime>(i) * step, step);
      push("front", left_half_red(kSize, kSize), static_cast<GstClockTime>(i) * step, step);
    }
    end("front");
    end("back");
    std::vector<Out> all = outputs();
    EXPECT_EQ(all.size(), 2U);
    TearDown();
    return all.empty() ? Rgba(kSize, kSize) : std::move(all.back().picture);
  };
  constexpr int32_t kEdge = kSize / 2 - 2;
  const Rgba plain = second_picture(""), lit = second_picture("light-wrap=1");
  std::printf("green at the foreground's edge: %d, with light %d\n", plain.at(kEdge, 60)[1], lit.at(kEdge, 60)[1]);
  EXPECT_NEAR(plain.at(kEdge, 60)[1], kRed[1], 1);
  EXPECT_GT(lit.at(kEdge, 60)[1], kRed[1] + 40);
  EXPECT_NEAR(lit.at(4, 60)[1], kRed[1], 3) << "there is none deep in the foreground";
  EXPECT_NEAR(lit.at(kSize - 4, 60)[1], 255, 1);

  const Rgba whole = second_picture("background-fit=contain");
  EXPECT_NEAR(whole.at(kSize - 4, 60)[1], 255, 1);
  for (const int32_t y : {4, kSize / 4 - 2, 3 * kSize / 4 + 1, kSize - 4}) {
    EXPECT_NEAR(whole.at(kSize - 4, y)[1], 0, 1) << y;
    EXPECT_NEAR(whole.at(kSize - 4, y)[2], 255, 1) << y;
  }
}

// Both streams may change their sizes at any frame.
TEST_F(BackgroundVideoTest, SizesChange) {
  launch(30, kSize, kSize);
  const GstClockTime step = GST_SECOND / 30;
  const auto resize = [this](const char* name, int32_t width, int32_t height) {
    GstElement* source = part_of(pipeline_, name);
    GstCaps* caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "RGBA", "width", G_TYPE_INT, width,
                                        "height", G_TYPE_INT, height, "framerate", GST_TYPE_FRACTION, 30, 1, nullptr);
    gst_app_src_set_caps(GST_APP_SRC(source), caps);
    gst_caps_unref(caps);
  };
  const int32_t fronts[][2] = {{kSize, kSize}, {kSize, kSize}, {200, kSize}, {200, kSize}};
  const int32_t backs[][2] = {{kSize, kSize}, {320, 40}, {320, 40}, {32, 320}};
  for (int i = 0; i < 4; ++i) {
    const GstClockTime time = static_cast<GstClockTime>(i) * step;
    const auto& [width, height] = fronts[i];
    resize("front", width, height);
    push("front", left_half_red(width, height), time, step);
    resize("back", backs[i][0], backs[i][1]);
    push("back", shade(backs[i][0], backs[i][1], shade_of(i)), time, step);
  }
  end("front");
  end("back");
  const std::vector<Out> all = outputs();
  ASSERT_EQ(all.size(), 4U);
  for (size_t i = 0; i < all.size(); ++i) {
    const Rgba& picture = all[i].picture;
    ASSERT_EQ(picture.width, fronts[i][0]) << i;
    for (const int32_t y : {2, kSize - 3}) EXPECT_NEAR(picture.at(picture.width - 3, y)[0], shade_of(int(i)), 1) << i;
    EXPECT_NEAR(picture.at(16, 60)[0], kRed[0], 1) << i;
  }
}

// The foreground is made upright. The other video stays as it is.
TEST_F(BackgroundVideoTest, RotatesOnlyTheForeground) {
  parse(
      "appsrc name=front format=time caps=video/x-raw,format=RGBA,width=128,height=128,framerate=30/1 ! taginject "
      "tags=\"image-orientation=rotate-180\" ! glsegmentbin name=bin softness=0 model=" +
      red_model() +
      " ! video/x-raw,format=RGBA ! appsink name=sink sync=false appsrc name=back format=time "
      "caps=video/x-raw,format=RGBA,width=128,height=128,framerate=30/1 ! bin.background");
  gst_element_set_state(pipeline_, GST_STATE_PLAYING);
  Rgba halves = shade(kSize, kSize, 50);
  for (int32_t x = 0; x < kSize; ++x) halves.at(x, kSize - 1)[0] = 250;
  push("front", left_half_red(kSize, kSize), 0, GST_SECOND / 30);
  push("back", halves, 0, GST_SECOND / 30);
  end("front");
  end("back");
  const std::vector<Out> all = outputs();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_NEAR(all[0].picture.at(kSize - 16, 60)[0], kRed[0], 1) << "left becomes right";
  EXPECT_NEAR(all[0].picture.at(16, 60)[0], 50, 1);
  EXPECT_NEAR(all[0].picture.at(16, kSize - 1)[0], 250, 1) << "the bottom stays at the bottom";
}

// A seek affects both videos.
TEST_F(BackgroundVideoTest, SeeksTogether) {
  const std::string source = "videotestsrc num-buffers=60 pattern=";
  const std::string caps = " ! video/x-raw,format=RGBA,width=64,height=64,framerate=30/1 ! ";
  parse(source + "blue" + caps + "glsegmentbin name=bin model=" + red_model() + " " + kOwnBackground +
        " ! video/x-raw,format=RGBA ! appsink name=sink sync=false max-buffers=1 " + source + "white" + caps +
        "bin.background");
  gst_element_set_state(pipeline_, GST_STATE_PAUSED);
  ASSERT_EQ(gst_element_get_state(pipeline_, nullptr, nullptr, 20 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  GstQuery* query = gst_query_new_seeking(GST_FORMAT_TIME);
  gboolean seekable = FALSE;
  ASSERT_TRUE(gst_element_query(pipeline_, query));
  gst_query_parse_seeking(query, nullptr, &seekable, nullptr, nullptr);
  EXPECT_TRUE(seekable);
  gst_query_unref(query);
  for (const GstClockTime target : {GST_SECOND, GST_SECOND / 2, 3 * GST_SECOND / 2}) {
    gst_element_get_state(pipeline_, nullptr, nullptr,
                          20 * GST_SECOND);  // a sink that is flushed during a state change may stay PAUSED
    ASSERT_TRUE(gst_element_seek_simple(pipeline_, GST_FORMAT_TIME,
                                        static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
                                        static_cast<gint64>(target)));
    gst_element_set_state(pipeline_, GST_STATE_PLAYING);
    for (GstClockTime i = 0; i < 5; ++i) {
      const std::optional<Out> out = output();
      ASSERT_TRUE(out);
      EXPECT_NEAR(static_cast<double>(out->time), static_cast<double>(target) + static_cast<double>(i) * 1e9 / 30, 1e6);
      const uint8_t* pixel = out->picture.at(30, 30);
      EXPECT_TRUE(pixel[0] > 250 && pixel[1] > 250 && pixel[2] > 250) << "the other video is shown at once";
    }
  }
}

// Together with the pad "mask": both videos and the masks.
TEST_F(BackgroundVideoTest, MasksAreAttached) {
  launch(30, kSize, kSize, kOwnBackground,
         "bin.mask ! queue ! gldownload ! video/x-raw,format=GRAY8 ! appsink name=masks sync=false async=false");
  const GstClockTime step = GST_SECOND / 30;
  for (int i = 0; i < 6; ++i) {
    push("back", shade(kSize, kSize, kShade), static_cast<GstClockTime>(i) * step, step);
    push("front", left_half_red(kSize, kSize), static_cast<GstClockTime>(i) * step, step);
  }
  end("front");
  end("back");
  GstElement* masks = part_of(pipeline_, "masks");
  for (int i = 0; i < 6; ++i) {
    GstSample* sample = gst_app_sink_try_pull_sample(GST_APP_SINK(masks), 20 * GST_SECOND);
    ASSERT_NE(sample, nullptr) << i;
    uint8_t row[16] = {};
    gst_buffer_extract(gst_sample_get_buffer(sample), gsize{16} * 8, row, sizeof row);
    EXPECT_EQ(row[2], 255) << i;
    EXPECT_EQ(row[13], 0) << i;
    gst_sample_unref(sample);
  }
  const std::vector<Out> all = outputs();
  EXPECT_EQ(all.size(), 6U);
  for (const Out& out : all) EXPECT_EQ(background_of(out.picture), 'v');
}

}  // namespace
}  // namespace sightglass::test
