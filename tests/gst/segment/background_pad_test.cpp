// The pad "background" of glsegmentbin is requested and released: in any state, with any data flow, from any thread.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>

#include "background_video_case.h"

namespace sightglass::test {
namespace {

using BackgroundPadTest = BackgroundVideoCase;

// Only one such pad can be requested at a time. Without it, the bin is unchanged.
TEST_F(BackgroundPadTest, PadCanBeReleased) {
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

// An element that sets a flag when it is finalized.
void watch(GstElement* bin, const char* name, std::atomic<bool>& gone) {
  GstElement* element = part_of(bin, name);
  ASSERT_NE(element, nullptr) << name;
  g_object_weak_ref(
      G_OBJECT(element), [](gpointer flag, GObject*) { *static_cast<std::atomic<bool>*>(flag) = true; }, &gone);
}

bool comes_true(const std::function<bool()>& is_true) {
  for (int i = 0; i < 1000 && !is_true(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return is_true();
}

enum class Flow { kBoth, kBackStalls, kFrontStalls, kNone };

class GivenBack : public BackgroundPadTest, public testing::WithParamInterface<Flow> {};
std::string name_of_flow(const testing::TestParamInfo<Flow>& info) {
  const char* names[] = {"BothFlow", "TheOtherStalls", "ItStalls", "NothingHasCome"};
  return names[static_cast<size_t>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(While, GivenBack,
                         testing::Values(Flow::kBoth, Flow::kBackStalls, Flow::kFrontStalls, Flow::kNone),
                         name_of_flow);

// The foreground continues with the background of the element, whatever is waiting, and no frame is lost.
TEST_P(GivenBack, TheForegroundContinues) {
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
      EXPECT_NEAR(out.picture.at(16, 60)[0], kRed[0], 1) << "the foreground is unchanged";
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

// Live sources, each in its thread. The application stops the source of the other video and releases the pad at any
// time.
TEST_F(BackgroundPadTest, CanBeReleasedWithLiveSources) {
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
    GstElement* back = part_of(pipeline_, "back");
    gst_element_set_state(back, GST_STATE_NULL);
    gst_bin_remove(GST_BIN(pipeline_), back);
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

// Released from a streaming thread of either video or of the output.
TEST_F(BackgroundPadTest, CanBeReleasedFromAnyThread) {
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
    GstElement* element = part_of(pipeline_, name);
    on_buffers(element, "src", [&release](GstBuffer*) { release(); });
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

// While PAUSED nothing moves. The shown frame stays, and playback continues without the other video.
TEST_F(BackgroundPadTest, CanBeReleasedWhilePaused) {
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

// Whatever was released, and in whichever state, nothing leaks.
TEST_F(BackgroundPadTest, LeavesNothingBehind) {
  for (const bool plays : {false, true}) {
    for (const bool released : {false, true}) {
      for (int round = 0; round < 4; ++round) {
        std::atomic<bool> bin_gone = false, matcher_gone = false;
        launch(30, kSize, kSize, kOwnBackground);
        watch(pipeline_, "bin", bin_gone);
        watch(pipeline_, "background-matcher", matcher_gone);
        for (int i = 0; i < 4; ++i) {
          const GstClockTime time = static_cast<GstClockTime>(i) * GST_SECOND / 30;
          push("back", shade(kSize, kSize, kShade), time, GST_SECOND / 30);
          push("front", left_half_red(kSize, kSize), time, GST_SECOND / 30);
        }
        EXPECT_TRUE(output());
        if (!plays) gst_element_set_state(pipeline_, round % 2 == 0 ? GST_STATE_READY : GST_STATE_NULL);
        if (released) release_background();
        if (released && !plays) {
          EXPECT_FALSE(has("background-matcher")) << "at once, if no data flows";
        }
        TearDown();
        EXPECT_TRUE(comes_true([&] { return matcher_gone.load(); })) << plays << released;
        EXPECT_TRUE(comes_true([&] { return bin_gone.load(); })) << plays << released;
      }
    }
  }
}

// After its release, the pad can be requested again: while playing, and when no data flows.
TEST_F(BackgroundPadTest, CanBeRequestedAgain) {
  launch(30, kSize, kSize, kOwnBackground);
  const GstClockTime step = GST_SECOND / 30;
  for (int round = 0; round < 6; ++round) {
    const bool plays = round % 2 == 0;
    SCOPED_TRACE(round);
    // From its first frame on, frames of the foreground wait for the other video.
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

// The first pad must be requested before data flows.
TEST_F(BackgroundPadTest, DoesNotBeginWhilePlaying) {
  parse("videotestsrc num-buffers=30 ! glsegmentbin name=bin model=" + red_model() + " ! fakesink");
  gst_element_set_state(pipeline_, GST_STATE_PLAYING);
  GstElement* bin = part_of(pipeline_, "bin");
  EXPECT_EQ(gst_element_request_pad_simple(bin, "background"), nullptr);
  EXPECT_EQ(outcome_of(pipeline_), "end");
}

}  // namespace
}  // namespace sightglass::test
