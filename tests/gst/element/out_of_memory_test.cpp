// Elements without memory: an exception in a function that GStreamer calls becomes an error message and never ends the
// application. One allocation of our own code fails in each run.
#include <gtest/gtest.h>

#include <cstdio>
#include <new>
#include <stdexcept>

#include "gobject/guarded.h"
#include "hostile/allocations.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

// Runs it as C would: while allocations are watched, this function itself allocates nothing.
struct Outcome {
  bool ended = false, failed = false;
  Allocations allocations;
  std::string text;
};
Outcome run(const std::string& line, int64_t nth, Failing failing) {
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(line.c_str(), &error);
  EXPECT_EQ(error, nullptr) << error->message;
  GstBus* bus = gst_element_get_bus(pipeline);
  watch_allocations(nth, failing, Whose::kOurs);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstMessage* message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND,
                                                   static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  gst_element_set_state(pipeline, GST_STATE_NULL);
  Outcome outcome;
  outcome.allocations = watched_allocations();
  if (message != nullptr && GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    outcome.failed = true;
    outcome.text = take_text(message);
  } else if (message != nullptr) {
    outcome.ended = true;
    gst_message_unref(message);
  }
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  return outcome;
}

void expect_errors(const std::string& line) {
  for (int warm = 0; warm < 2; ++warm) {
    const Outcome usual = run(line, 0, Failing::kOnce);
    ASSERT_TRUE(usual.ended) << usual.text;
  }
  const int64_t count = run(line, 0, Failing::kOnce).allocations.made;
  constexpr int64_t kRuns = 24;
  int errors = 0;
  for (int64_t i = 0; i < kRuns; ++i) {
    // All of the first ones, then some spread over the rest.
    const int64_t nth = i < kRuns / 3 ? i + 1 : i * count / kRuns;
    for (const Failing failing : {Failing::kOnce, Failing::kFromThen}) {
      const Outcome outcome = run(line, nth, failing);
      ASSERT_TRUE(outcome.ended || outcome.failed)
          << "neither an end nor an error after failing allocation " << nth << " failed";
      if (!outcome.failed) continue;
      ++errors;
      EXPECT_NE(outcome.text.find("out of memory"), std::string::npos)
          << "allocation " << nth << " of " << count << " failed: " << outcome.text;
    }
  }
  std::printf("%s: %lld allocations; %d of %lld runs ended with an error\n", line.c_str(),
              static_cast<long long>(count), errors, static_cast<long long>(2 * kRuns));
  EXPECT_GT(errors, kRuns / 2);
  EXPECT_TRUE(run(line, 0, Failing::kOnce).ended) << "after all that";
}

TEST(ElementsWithoutMemory, Segment) {
  init_gstreamer();
  expect_errors("glfiguresrc num-buffers=2 ! video/x-raw(memory:GLMemory),width=64,height=64 ! glsegment model=" +
                red_model() + " ! fakesink");
}

TEST(ElementsWithoutMemory, InferAndJson) {
  init_gstreamer();
  expect_errors(
      "glfiguresrc num-buffers=2 ! video/x-raw(memory:GLMemory),width=64,height=64 ! glinfer results=meta model=" +
      red_model() + " ! resultsjson ! fakesink");
}

// Tests the guard itself for each kind of function.
int thrown = 0;
GstFlowReturn flow(GstElement*, GstBuffer*) {
  if (thrown == 1) throw std::bad_alloc();
  if (thrown == 2) throw std::runtime_error("an invariant");
  return GST_FLOW_OK;
}
gboolean answer(gpointer) {
  if (thrown != 0) throw 7;
  return TRUE;
}
GstStateChangeReturn change(GstElement*, GstStateChange) { throw std::bad_alloc(); }
void nothing(GObject*) { throw std::bad_alloc(); }

TEST(Guarded, ExceptionsBecomeFailuresAndMessages) {
  init_gstreamer();
  GstElement* element = gst_element_factory_make("identity", "named");
  GstBus* bus = gst_bus_new();
  gst_element_set_bus(element, bus);
  const auto message = [&] { return posted(element, GST_MESSAGE_ERROR); };
  thrown = 0;
  EXPECT_EQ(guarded<flow>(element, nullptr), GST_FLOW_OK);
  EXPECT_EQ(guarded<answer>(nullptr), TRUE);
  EXPECT_EQ(message(), "");
  thrown = 1;
  EXPECT_EQ(guarded<flow>(element, nullptr), GST_FLOW_ERROR);
  EXPECT_EQ(message(), "named: cannot continue: out of memory");
  EXPECT_EQ(guarded<answer>(nullptr), FALSE);
  EXPECT_EQ(guarded<change>(element, GST_STATE_CHANGE_NULL_TO_READY), GST_STATE_CHANGE_FAILURE);
  EXPECT_EQ(message(), "named: cannot continue: out of memory");
  guarded<nothing>(G_OBJECT(element));
  EXPECT_EQ(message(), "named: cannot continue: out of memory");
  thrown = 2;
  EXPECT_EQ(guarded<flow>(element, nullptr), GST_FLOW_ERROR);
  EXPECT_EQ(message(), "named: cannot continue: an invariant");
  gst_element_set_bus(element, nullptr);
  gst_object_unref(bus);
  gst_object_unref(element);
}

}  // namespace
}  // namespace sightglass::test
