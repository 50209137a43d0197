// glsegmentbin's pad "background": another video behind the foreground.
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
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
    pipeline_ = nullptr;
  }
  void launch(int back_rate, int32_t back_width, int32_t back_height, const std::string& properties = "",
              const std::string& more = "") {
    const auto source = [](const std::string& name, int rate, int32_t width, int32_t height) {
      return "appsrc name=" + name + " format=time caps=video/x-raw,format=RGBA,width=" + std::to_string(width) +
             ",height=" + std::to_string(height) + ",framerate=" + std::to_string(rate) + "/1 ! ";
    };
    parse(source("front", 30, kSize, kSize) + "glsegmentbin name=bin softness=0 model=" + red_model() + " " +
          properties + " ! video/x-raw,format=RGBA ! appsink name=sink sync=false " +
          source("back", back_rate, back_width, back_height) + "bin.background " + more);
    ASSERT_NE(gst_element_set_state(pipeline_, GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
  }
  void parse(const std::string& text) {
    GError* error = nullptr;
    pipeline_ = gst_parse_launch(text.c_str(), &error);
    ASSERT_EQ(error, nullptr) << error->message;
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
  std::optional<Out> output(GstClockTime patience = 20 * GST_SECOND) {
    GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline_), "sink");
    GstSample* sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink), patience);
    gst_object_unref(sink);
    if (sample == nullptr) return std::nullopt;
    GstBuffer* buffer = gst_sample_get_buffer(sample);
    GstVideoInfo info;
    EXPECT_TRUE(gst_video_info_from_caps(&info, gst_sample_get_caps(sample)));
    Out out{Rgba(info.width, info.height), GST_BUFFER_PTS(buffer)};
    gst_buffer_extract(buffer, 0, out.picture.pixels.data(), out.picture.pixels.size());
    gst_sample_unref(sample);
    return out;
  }
  // To the end.
  std::vector<Out> outputs() {
    std::vector<Out> all;
    while (std::optional<Out> out = output()) all.push_back(std::move(*out));
    EXPECT_EQ(outcome_of(pipeline_), "end");
    return all;
  }
  bool has(const char* name) const {
    GstElement* element = gst_bin_get_by_name(GST_BIN(pipeline_), name);
    if (element != nullptr) gst_object_unref(element);
    return element != nullptr;
  }
  // What an application does: the other video's frames end before the pad goes, else the next one fails as not linked.
  void stop_back() {
    GstElement* back = gst_bin_get_by_name(GST_BIN(pipeline_), "back");
    if (back == nullptr) return;
    GstPad* pad = gst_element_get_static_pad(back, "src");
    stop_ = gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM, [](GstPad*, GstPadProbeInfo*, gpointer) { return GST_PAD_PROBE_DROP; },
        nullptr, nullptr);
    gst_object_unref(pad);
    gst_object_unref(back);
  }
  void release_background() {
    stop_back();
    GstElement* bin = gst_bin_get_by_name(GST_BIN(pipeline_), "bin");
    GstPad* pad = gst_element_get_static_pad(bin, "background");
    ASSERT_NE(pad, nullptr);
    gst_element_release_request_pad(bin, pad);
    gst_object_unref(pad);
    gst_object_unref(bin);
  }
  // For the source that release_background() has stopped.
  void request_background() {
    GstElement* bin = gst_bin_get_by_name(GST_BIN(pipeline_), "bin");
    GstElement* back = gst_bin_get_by_name(GST_BIN(pipeline_), "back");
    GstPad* source = gst_element_get_static_pad(back, "src");
    GstPad* pad = gst_element_request_pad_simple(bin, "background");
    ASSERT_NE(pad, nullptr);
    gst_pad_remove_probe(source, stop_);
    ASSERT_EQ(gst_pad_link(source, pad), GST_PAD_LINK_OK);
    for (gpointer object : {gpointer(pad), gpointer(source), gpointer(back), gpointer(bin)}) gst_object_unref(object);
  }

  GstElement* pipeline_ = nullptr;
  gulong stop_ = 0;  // the probe of stop_back()
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

// The pad can be had once at a time; without it, the bin is as it was.
TEST_F(BackgroundVideoTest, PadCanBeGivenBack) {
  GstElement* bin = gst_element_factory_make("glsegmentbin", nullptr);
  ASSERT_NE(bin, nullptr);
  gst_object_ref_sink(bin);
  const gint parts = GST_BIN_NUMCHILDREN(bin);
  for (int i = 0; i < 3; ++i) {
    GstPad* pad = gst_element_request_pad_simple(bin, "background");
    ASSERT_NE(pad, nullptr);
    GstPadTemplate* pad_template = gst_element_get_pad_template(bin, "background");
    EXPECT_EQ(gst_element_request_pad(bin, pad_template, nullptr, nullptr), nullptr);
    EXPECT_GT(GST_BIN_NUMCHILDREN(bin), parts);
    gst_element_release_request_pad(bin, pad);
    gst_object_unref(pad);
    EXPECT_EQ(GST_BIN_NUMCHILDREN(bin), parts);
  }
  gst_object_unref(bin);
}

// An element that sets its flag when it is gone.
void watch(GstElement* bin, const char* name, std::atomic<bool>& gone) {
  GstElement* element = gst_bin_get_by_name(GST_BIN(bin), name);
  ASSERT_NE(element, nullptr) << name;
  g_object_weak_ref(
      G_OBJECT(element), [](gpointer flag, GObject*) { *static_cast<std::atomic<bool>*>(flag) = true; }, &gone);
  gst_object_unref(element);
}

bool comes_true(const std::function<bool()>& is_true) {
  for (int i = 0; i < 1000 && !is_true(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return is_true();
}

constexpr const char* kOwnBackground = "background=color background-color=0xff00ff00";  // green
constexpr int kShade = 200;                                                             // of the other video

// What is behind the foreground: 'v' the other video, 'o' the element's own background, '?' neither.
char background_of(const Rgba& picture) {
  const uint8_t* pixel = picture.at(kSize - 16, 60);
  const auto is = [pixel](int r, int g, int b) {
    return std::abs(pixel[0] - r) <= 2 && std::abs(pixel[1] - g) <= 2 && std::abs(pixel[2] - b) <= 2 && pixel[3] >= 253;
  };
  return is(kShade, kShade, kShade) ? 'v' : is(0, 255, 0) ? 'o' : '?';
}

enum class Flow { kBoth, kBackStalls, kFrontStalls, kNone };

class GivenBack : public BackgroundVideoTest, public testing::WithParamInterface<Flow> {};
std::string name_of_flow(const testing::TestParamInfo<Flow>& info) {
  const char* names[] = {"BothFlow", "TheOtherStalls", "ItStalls", "NothingHasCome"};
  return names[static_cast<size_t>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(While, GivenBack,
                         testing::Values(Flow::kBoth, Flow::kBackStalls, Flow::kFrontStalls, Flow::kNone),
                         name_of_flow);

// The foreground goes on with the element's own background, whoever waits for whom, and no frame is lost.
TEST_P(GivenBack, TheForegroundGoesOn) {
  constexpr int kBefore = 8, kAfter = 12;
  for (int round = 0; round < 5; ++round) {
    launch(30, kSize, kSize, kOwnBackground);
    const GstClockTime step = GST_SECOND / 30;
    const auto at = [=](int i) { return static_cast<GstClockTime>(i) * step; };
    int front = 0;
    const Flow flow = GetParam();
    const auto push_front = [&](int count) {
      for (const int end = front + count; front < end; ++front) {
        push("front", left_half_red(kSize, kSize), at(front), step);
      }
    };
    const int backs = flow == Flow::kBoth          ? kBefore
                      : flow == Flow::kBackStalls  ? 2
                      : flow == Flow::kFrontStalls ? 40
                                                   : 0;
    for (int i = 0; i < backs; ++i) push("back", shade(kSize, kSize, kShade), at(i), step);
    if (flow != Flow::kNone) push_front(flow == Flow::kFrontStalls ? 2 : kBefore);
    std::string seen;
    const int awaited = flow == Flow::kBoth ? kBefore / 2 : flow == Flow::kNone ? 0 : 1;
    for (int i = 0; i < awaited; ++i) {
      const std::optional<Out> out = output();
      ASSERT_TRUE(out);
      seen += background_of(out->picture);
    }
    EXPECT_EQ(seen, std::string(static_cast<size_t>(awaited), 'v'));
    release_background();
    push_front(kAfter);
    end("front");
    for (const Out& out : outputs()) {
      EXPECT_EQ(out.time, at(static_cast<int>(seen.size())));
      EXPECT_NEAR(out.picture.at(16, 60)[0], kRed[0], 1) << "the foreground is what it was";
      seen += background_of(out.picture);
    }
    std::printf("%s\n", seen.c_str());
    EXPECT_EQ(seen.size(), static_cast<size_t>(front)) << "no frame is lost";
    EXPECT_EQ(seen.find('?'), std::string::npos) << "nothing else is ever shown: " << seen;
    EXPECT_EQ(seen.find('v', seen.find('o')), std::string::npos) << seen;
    EXPECT_EQ(seen.back(), 'o');
    TearDown();
  }
}

// Live sources, each in its thread; the application stops the other video's and lets go of the pad, at any moment.
TEST_F(BackgroundVideoTest, CanBeGivenBackUnderLiveSources) {
  for (int round = 0; round < 12; ++round) {
    parse(
        "videotestsrc num-buffers=60 is-live=true pattern=blue ! video/x-raw,format=RGBA,width=128,height=128,"
        "framerate=60/1 ! glsegmentbin name=bin model=" +
        red_model() + " " + kOwnBackground +
        " ! video/x-raw,format=RGBA ! appsink name=sink sync=" + (round % 2 == 0 ? "true" : "false") +
        " videotestsrc name=back pattern=white is-live=true ! video/x-raw,format=RGBA,width=64,height=64,"
        "framerate=60/1 ! bin.background");
    ASSERT_NE(gst_element_set_state(pipeline_, GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
    std::this_thread::sleep_for(std::chrono::milliseconds(23 * (round + 1)));
    GstElement* back = gst_bin_get_by_name(GST_BIN(pipeline_), "back");
    gst_element_set_state(back, GST_STATE_NULL);
    gst_bin_remove(GST_BIN(pipeline_), back);
    gst_object_unref(back);
    release_background();
    size_t own = 0, all = 0;
    char last = '?';
    for (const Out& out : outputs()) {
      const uint8_t* pixel = out.picture.at(60, 60);
      const bool green = pixel[0] < 5 && pixel[1] > 250;
      const bool white = pixel[0] > 250 && pixel[1] > 250 && pixel[2] > 250;
      EXPECT_TRUE(green || white) << int(pixel[0]) << ' ' << int(pixel[1]) << ' ' << int(pixel[2]);
      last = green ? 'o' : 'v';
      ++all;
      own += green ? 1 : 0;
    }
    std::printf("round %d: %zu frames, %zu without the other video\n", round, all, own);
    EXPECT_EQ(all, 60U) << "no frame is lost";
    EXPECT_EQ(last, 'o');
    EXPECT_GT(own, 5U);
    TearDown();
  }
}

// By a thread that pushes frames itself, of either video or of the result.
TEST_F(BackgroundVideoTest, CanBeGivenBackByAnyThread) {
  struct Release {
    std::function<void()> release;
    int after;  // buffers
    std::atomic<bool> done = false;
    void operator()() {
      if (--after != 0) return;
      release();
      done = true;
    }
  };
  for (const auto& [name, after] : {std::pair{"back", 4}, {"front", 4}, {"segment", 4}, {"bin", 2}}) {
    launch(30, kSize, kSize, kOwnBackground);
    Release release{[this] { release_background(); }, after};
    GstElement* element = gst_bin_get_by_name(GST_BIN(pipeline_), name);
    GstPad* pad = gst_element_get_static_pad(element, "src");
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BUFFER,
        [](GstPad*, GstPadProbeInfo*, gpointer data) {
          (*static_cast<Release*>(data))();
          return GST_PAD_PROBE_OK;
        },
        &release, nullptr);
    gst_object_unref(pad);
    gst_object_unref(element);
    const GstClockTime step = GST_SECOND / 30;
    for (int i = 0; i < 16; ++i) {
      push("back", shade(kSize, kSize, kShade), static_cast<GstClockTime>(i) * step, step);
      push("front", left_half_red(kSize, kSize), static_cast<GstClockTime>(i) * step, step);
    }
    EXPECT_TRUE(comes_true([&] { return release.done.load(); })) << name;
    end("front");
    std::string seen;
    for (const Out& out : outputs()) seen += background_of(out.picture);
    std::printf("%s: %s\n", name, seen.c_str());
    EXPECT_EQ(seen.find('?'), std::string::npos) << seen;
    EXPECT_NE(seen.find('o'), std::string::npos) << seen;
    TearDown();
  }
}

// While PAUSED nothing moves; what is shown there stays, and playing goes on without the other video.
TEST_F(BackgroundVideoTest, CanBeGivenBackWhilePaused) {
  launch(30, kSize, kSize, kOwnBackground);
  const GstClockTime step = GST_SECOND / 30;
  for (int i = 0; i < 12; ++i) {
    push("back", shade(kSize, kSize, kShade), static_cast<GstClockTime>(i) * step, step);
    push("front", left_half_red(kSize, kSize), static_cast<GstClockTime>(i) * step, step);
  }
  gst_element_set_state(pipeline_, GST_STATE_PAUSED);
  ASSERT_NE(gst_element_get_state(pipeline_, nullptr, nullptr, 20 * GST_SECOND), GST_STATE_CHANGE_FAILURE);
  release_background();
  gst_element_set_state(pipeline_, GST_STATE_PLAYING);
  for (int i = 12; i < 20; ++i) {
    push("front", left_half_red(kSize, kSize), static_cast<GstClockTime>(i) * step, step);
  }
  end("front");
  std::string seen;
  for (const Out& out : outputs()) seen += background_of(out.picture);
  std::printf("%s\n", seen.c_str());
  EXPECT_EQ(seen.find('?'), std::string::npos);
  EXPECT_EQ(seen.back(), 'o');
}

// Whatever has been let go of, or not, and in which state: nothing is left over.
TEST_F(BackgroundVideoTest, LeavesNothingBehind) {
  for (const bool plays : {false, true}) {
    for (const bool released : {false, true}) {
      for (int round = 0; round < 4; ++round) {
        std::atomic<bool> bin_gone = false, matcher_gone = false;
        launch(30, kSize, kSize, kOwnBackground);
        watch(pipeline_, "bin", bin_gone);
        watch(pipeline_, "matcher", matcher_gone);
        for (int i = 0; i < 4; ++i) {
          const GstClockTime time = static_cast<GstClockTime>(i) * GST_SECOND / 30;
          push("back", shade(kSize, kSize, kShade), time, GST_SECOND / 30);
          push("front", left_half_red(kSize, kSize), time, GST_SECOND / 30);
        }
        EXPECT_TRUE(output());
        if (!plays) gst_element_set_state(pipeline_, round % 2 == 0 ? GST_STATE_READY : GST_STATE_NULL);
        if (released) release_background();
        if (released && !plays) {
          EXPECT_FALSE(has("matcher")) << "at once, where nothing flows";
        }
        TearDown();
        EXPECT_TRUE(comes_true([&] { return matcher_gone.load(); })) << plays << released;
        EXPECT_TRUE(comes_true([&] { return bin_gone.load(); })) << plays << released;
      }
    }
  }
}

// After it has been given back, it can be had again: while playing, and when nothing flows.
TEST_F(BackgroundVideoTest, ComesBack) {
  launch(30, kSize, kSize, kOwnBackground);
  const GstClockTime step = GST_SECOND / 30;
  for (int round = 0; round < 6; ++round) {
    const bool plays = round % 2 == 0;
    SCOPED_TRACE(round);
    // Frames of the foreground wait for the other video from where it comes in.
    const int first = plays ? 0 : 8;
    for (int i = first; i < first + 4; ++i) {
      push("back", shade(kSize, kSize, kShade), static_cast<GstClockTime>(i) * step, step);
      push("front", left_half_red(kSize, kSize), static_cast<GstClockTime>(i) * step, step);
    }
    for (int i = 0; i < 4; ++i) {
      const std::optional<Out> out = output();
      ASSERT_TRUE(out);
      EXPECT_EQ(background_of(out->picture), 'v') << i;
    }
    release_background();
    if (plays) {
      for (int i = 4; i < 8; ++i) {
        push("front", left_half_red(kSize, kSize), static_cast<GstClockTime>(i) * step, step);
        const std::optional<Out> out = output();
        ASSERT_TRUE(out);
        EXPECT_EQ(background_of(out->picture), 'o') << i;
      }
    } else {
      gst_element_set_state(pipeline_, GST_STATE_READY);
    }
    request_background();
    if (!plays) gst_element_set_state(pipeline_, GST_STATE_PLAYING);
  }
}

// The first one of all is to be had before anything flows.
TEST_F(BackgroundVideoTest, DoesNotBeginWhilePlaying) {
  parse("videotestsrc num-buffers=30 ! glsegmentbin name=bin model=" + red_model() + " ! fakesink");
  gst_element_set_state(pipeline_, GST_STATE_PLAYING);
  GstElement* bin = gst_bin_get_by_name(GST_BIN(pipeline_), "bin");
  EXPECT_EQ(gst_element_request_pad_simple(bin, "background"), nullptr);
  gst_object_unref(bin);
  EXPECT_EQ(outcome_of(pipeline_), "end");
}

// As still pictures do, the other video sheds its light on the foreground's edge, and is seen whole where it is asked
// to.
TEST_F(BackgroundVideoTest, ShedsLightAndFits) {
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
  EXPECT_NEAR(lit.at(4, 60)[1], kRed[1], 3) << "deep in the foreground there is none";
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
    GstElement* source = gst_bin_get_by_name(GST_BIN(pipeline_), name);
    GstCaps* caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "RGBA", "width", G_TYPE_INT, width,
                                        "height", G_TYPE_INT, height, "framerate", GST_TYPE_FRACTION, 30, 1, nullptr);
    gst_app_src_set_caps(GST_APP_SRC(source), caps);
    gst_caps_unref(caps);
    gst_object_unref(source);
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

// The foreground is turned upright; the other video is as it is.
TEST_F(BackgroundVideoTest, TurnsTheForegroundAlone) {
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
  EXPECT_NEAR(all[0].picture.at(kSize - 16, 60)[0], kRed[0], 1) << "what was left is right";
  EXPECT_NEAR(all[0].picture.at(16, 60)[0], 50, 1);
  EXPECT_NEAR(all[0].picture.at(16, kSize - 1)[0], 250, 1) << "below is below";
}

// A seek moves both.
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
    gst_element_get_state(pipeline_, nullptr, nullptr, 20 * GST_SECOND);  // on its way, a flushed sink may stay PAUSED
    ASSERT_TRUE(gst_element_seek_simple(pipeline_, GST_FORMAT_TIME,
                                        static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
                                        static_cast<gint64>(target)));
    gst_element_set_state(pipeline_, GST_STATE_PLAYING);
    for (GstClockTime i = 0; i < 5; ++i) {
      const std::optional<Out> out = output();
      ASSERT_TRUE(out);
      EXPECT_NEAR(static_cast<double>(out->time), static_cast<double>(target) + static_cast<double>(i) * 1e9 / 30, 1e6);
      const uint8_t* pixel = out->picture.at(30, 30);
      EXPECT_TRUE(pixel[0] > 250 && pixel[1] > 250 && pixel[2] > 250) << "the other video is there at once";
    }
  }
}

// With the pad "mask" beside it: both videos and the masks.
TEST_F(BackgroundVideoTest, MasksComeAsWell) {
  launch(30, kSize, kSize, kOwnBackground,
         "bin.mask ! queue ! gldownload ! video/x-raw,format=GRAY8 ! appsink name=masks sync=false async=false");
  const GstClockTime step = GST_SECOND / 30;
  for (int i = 0; i < 6; ++i) {
    push("back", shade(kSize, kSize, kShade), static_cast<GstClockTime>(i) * step, step);
    push("front", left_half_red(kSize, kSize), static_cast<GstClockTime>(i) * step, step);
  }
  end("front");
  end("back");
  GstElement* masks = gst_bin_get_by_name(GST_BIN(pipeline_), "masks");
  for (int i = 0; i < 6; ++i) {
    GstSample* sample = gst_app_sink_try_pull_sample(GST_APP_SINK(masks), 20 * GST_SECOND);
    ASSERT_NE(sample, nullptr) << i;
    uint8_t row[16] = {};
    gst_buffer_extract(gst_sample_get_buffer(sample), gsize{16} * 8, row, sizeof row);
    EXPECT_EQ(row[2], 255) << i;
    EXPECT_EQ(row[13], 0) << i;
    gst_sample_unref(sample);
  }
  gst_object_unref(masks);
  const std::vector<Out> all = outputs();
  EXPECT_EQ(all.size(), 6U);
  for (const Out& out : all) EXPECT_EQ(background_of(out.picture), 'v');
}

}  // namespace
}  // namespace sightglass::test
