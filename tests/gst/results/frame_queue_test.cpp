// When each frame leaves, and with which results, on a GPU whose speed the test sets.
#include "results/frame_queue.h"

#include <gst/check/gstharness.h>
#include <gst/video/gstvideometa.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "meta/meta_types.h"
#include "seen_results.h"
#include "some_results.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

std::string numbers_of(GstBuffer* buffer) {
  std::string numbers;
  for (const uint64_t frame : frames_of_results(buffer)) numbers += " #" + std::to_string(frame);
  return numbers;
}

SharedResults results_of(uint64_t frame) {
  InferenceResults results = some_results();
  results.frame.number = frame;
  return shared(std::move(results));
}

// The output of the pad of the queue: "frame 2 #1", "results #2", and names of other events.
class FrameQueueTest : public ::testing::Test {
 protected:
  void SetUp() override {
    init_gstreamer();
    harness_ = gst_harness_new("identity");
    gst_harness_set_src_caps_str(harness_, "video/x-raw,format=RGBA,width=200,height=100");
    bus_ = gst_bus_new();
    gst_element_set_bus(harness_->element, bus_);
    pad_ = gst_element_get_static_pad(harness_->element, "src");
    gst_pad_add_probe(
        pad_, static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
        [](GstPad*, GstPadProbeInfo* info, gpointer log) {
          static_cast<std::vector<std::string>*>(log)->push_back(describe(info));
          return GST_PAD_PROBE_OK;
        },
        &log_, nullptr);
    queue_.emplace(harness_->element, pad_);
    log_.clear();
  }
  void TearDown() override {
    queue_.reset();
    gst_element_set_bus(harness_->element, nullptr);
    gst_object_unref(bus_);
    gst_object_unref(pad_);
    gst_harness_teardown(harness_);
  }
  static std::string describe(GstPadProbeInfo* info) {
    if ((GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
      GstBuffer* buffer = GST_PAD_PROBE_INFO_BUFFER(info);
      return "frame " + std::to_string(GST_BUFFER_PTS(buffer) / GST_SECOND) + numbers_of(buffer);
    }
    GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
    GstBuffer* carrier = sightglass_event_get_results(event);
    return carrier != nullptr ? "results" + numbers_of(carrier) : GST_EVENT_TYPE_NAME(event);
  }

  FrameQueue& queue() { return *queue_; }
  // The calls of an element for a frame, after its commands are issued.
  void frame(uint64_t number, bool awaits = true) {
    queue_->expect({number, 200, 100, awaits});
    GstBuffer* buffer = gst_buffer_new();
    GST_BUFFER_PTS(buffer) = number * GST_SECOND;
    GST_BUFFER_DURATION(buffer) = GST_SECOND;
    queue_->add(buffer);
    queue_->push_ready();
  }
  std::vector<std::string> take_log() { return std::exchange(log_, {}); }
  int messages() {
    int count = 0;
    while (GstMessage* message = gst_bus_pop_filtered(bus_, GST_MESSAGE_ELEMENT)) {
      ++count;
      gst_message_unref(message);
    }
    return count;
  }

 private:
  GstHarness* harness_ = nullptr;
  GstBus* bus_ = nullptr;
  GstPad* pad_ = nullptr;
  std::optional<FrameQueue> queue_;
  std::vector<std::string> log_;
};
using Lines = std::vector<std::string>;

TEST_F(FrameQueueTest, LatestHoldsNothing) {
  queue().set_policy({ResultsMode::kBoth, ResultsSync::kLatest});
  frame(0);
  frame(1);
  queue().arrive({results_of(0), results_of(1)});
  frame(2);
  frame(3);
  EXPECT_EQ(take_log(), (Lines{"frame 0", "frame 1", "frame 2 #0 #1", "frame 3"}));
  EXPECT_EQ(messages(), 2);
  EXPECT_EQ(queue().held_time(), 0U);
  queue().arrive({results_of(2), results_of(3)});
  queue().drain();
  queue().drain();
  EXPECT_EQ(take_log(), (Lines{"results #2 #3"})) << "only once";
  EXPECT_EQ(messages(), 2);
}

TEST_F(FrameQueueTest, ModesSelectTheReceivers) {
  for (const ResultsMode mode : {ResultsMode::kNone, ResultsMode::kMeta, ResultsMode::kMessage, ResultsMode::kBoth}) {
    for (const ResultsSync sync : {ResultsSync::kLatest, ResultsSync::kExact}) {
      queue().restart();
      queue().set_policy({mode, sync});
      frame(0);
      queue().arrive({results_of(0)});
      frame(1, false);
      queue().drain();
      const bool exact = sync == ResultsSync::kExact;
      const Lines told = exact ? Lines{"frame 0 #0", "frame 1"} : Lines{"frame 0", "frame 1 #0"};
      EXPECT_EQ(take_log(), wants_meta(mode) ? told : (Lines{"frame 0", "frame 1"}));
      EXPECT_EQ(messages(), wants_messages(mode) ? 1 : 0);
    }
  }
}

// Other applications see only the newest result. Older ones belong to earlier frames.
TEST_F(FrameQueueTest, RegionsDescribeTheNewestResult) {
  queue().set_policy({ResultsMode::kMeta, ResultsSync::kLatest});
  queue().arrive({results_of(0), shared(classified())});
  queue().expect({7, 200, 100, true});
  queue().add(gst_buffer_new());
  const OwnedBuffer buffer(queue().next());
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(numbers_of(buffer.get()), " #0 #6");
  gpointer state = nullptr;
  int regions = 0;
  while (gst_buffer_iterate_meta_filtered(buffer.get(), &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) ++regions;
  EXPECT_EQ(regions, 1);
}

TEST_F(FrameQueueTest, ExactFramesWaitForTheirOwn) {
  queue().set_policy({ResultsMode::kMeta, ResultsSync::kExact});
  frame(0);
  frame(1, false);  // the model did not run on it
  frame(2);
  EXPECT_EQ(take_log(), Lines{});
  queue().arrive({results_of(0)});
  frame(3);
  EXPECT_EQ(take_log(), (Lines{"frame 0 #0", "frame 1"}));
  queue().arrive({results_of(2)});
  frame(4);
  EXPECT_EQ(take_log(), (Lines{"frame 2 #2"}));
  EXPECT_EQ(queue().held_time(), 3 * GST_SECOND) << "frame 0 left after frame 3 arrived";
  queue().arrive({results_of(3), results_of(4)});
  queue().drain();
  EXPECT_EQ(take_log(), (Lines{"frame 3 #3", "frame 4 #4"})) << "nothing remains";
}

TEST_F(FrameQueueTest, EventsKeepTheirPositions) {
  GstEvent* event = gst_event_new_tag(gst_tag_list_new_empty());
  EXPECT_FALSE(queue().hold(event)) << "no frame to keep the order with";
  queue().set_policy({ResultsMode::kMeta, ResultsSync::kExact});
  frame(0);
  ASSERT_TRUE(queue().hold(event));
  frame(1);
  queue().arrive({results_of(0)});
  queue().push_ready();
  EXPECT_EQ(take_log(), (Lines{"frame 0 #0", "tag"}));
}

// The queue does not wait for lost results: later results show that they are lost.
TEST_F(FrameQueueTest, LostResultsDoNotBlock) {
  queue().set_policy({ResultsMode::kMeta, ResultsSync::kExact});
  frame(0);
  frame(1);
  queue().arrive({results_of(1)});
  queue().push_ready();
  EXPECT_EQ(take_log(), (Lines{"frame 0", "frame 1 #1"}));
  frame(2);
  queue().drain();
  EXPECT_EQ(take_log(), (Lines{"frame 2"})) << "at the end, there is nothing to wait for";
}

TEST_F(FrameQueueTest, HoldsAtMostItsLimit) {
  queue().set_policy({ResultsMode::kMeta, ResultsSync::kExact});
  constexpr uint64_t kMost = FrameQueue::kMostHeld;
  for (uint64_t i = 0; i < kMost; ++i) {
    EXPECT_FALSE(queue().is_full()) << i;
    frame(i);
  }
  EXPECT_TRUE(queue().is_full());
  EXPECT_EQ(take_log(), Lines{});
  frame(kMost);
  EXPECT_EQ(take_log(), (Lines{"frame 0"}));
}

// While playing, with frames held: each frame leaves once, in order, and so do results.
TEST_F(FrameQueueTest, FollowsTheProperty) {
  queue().set_policy({ResultsMode::kMeta, ResultsSync::kExact});
  frame(0);
  frame(1);
  queue().set_policy({ResultsMode::kMeta, ResultsSync::kLatest});
  queue().arrive({results_of(0)});
  frame(2);
  EXPECT_EQ(take_log(), (Lines{"frame 0 #0", "frame 1", "frame 2"}));
  queue().set_policy({ResultsMode::kMeta, ResultsSync::kExact});
  queue().arrive({results_of(1), results_of(2)});
  frame(3);
  queue().arrive({results_of(3)});
  frame(4);
  EXPECT_EQ(take_log(), (Lines{"frame 3 #1 #2 #3"}));
  queue().set_policy({});
  frame(5, false);
  EXPECT_EQ(take_log(), (Lines{"frame 4", "frame 5"}));
}

TEST_F(FrameQueueTest, AFlushDropsEverything) {
  queue().set_policy({ResultsMode::kMeta, ResultsSync::kExact});
  frame(0);
  queue().arrive({results_of(0), results_of(1)});
  frame(2);
  queue().hold(gst_event_new_tag(gst_tag_list_new_empty()));
  take_log();
  queue().clear();
  queue().drain();
  EXPECT_EQ(take_log(), Lines{});
}

TEST_F(FrameQueueTest, MarksMissingResults) {
  queue().set_policy({ResultsMode::kMeta, ResultsSync::kExact});
  frame(0);
  queue().expect_discont(true);
  queue().expect({1, 200, 100, true});
  queue().add(gst_buffer_new());
  queue().arrive({results_of(0), results_of(1)});
  const OwnedBuffer first(queue().next()), second(queue().next());
  ASSERT_NE(second, nullptr);
  EXPECT_FALSE(GST_BUFFER_IS_DISCONT(first.get()));
  EXPECT_TRUE(GST_BUFFER_IS_DISCONT(second.get()));
}

}  // namespace
}  // namespace sightglass::test
