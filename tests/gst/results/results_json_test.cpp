// resultsjson: writes the results on buffers as lines of JSON.
#include <gst/check/gstharness.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/delivery.h"
#include "sightglass/gst/results_meta.h"
#include "some_results.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

using Json = nlohmann::json;

class ResultsJson : public ::testing::Test {
 protected:
  void SetUp() override {
    init_gstreamer();
    harness_ = gst_harness_new("resultsjson");
    gst_harness_set_src_caps_str(harness_, "video/x-raw(memory:GLMemory),format=RGBA,width=400,height=200");
  }
  void TearDown() override { gst_harness_teardown(harness_); }
  GstHarness* harness() { return harness_; }
  void push(const std::vector<InferenceResults>& all) {
    GstBuffer* buffer = new_buffer().release();
    for (const InferenceResults& results : all) EXPECT_TRUE(attach_results(buffer, shared(results), 200, 100));
    EXPECT_EQ(gst_harness_push(harness_, buffer), GST_FLOW_OK);
  }
  // Returns the text of the next line; empty if there is none.
  std::string pull_text() {
    const OwnedBuffer buffer(gst_harness_try_pull(harness_));
    if (buffer == nullptr) return "";
    EXPECT_EQ(GST_BUFFER_PTS(buffer.get()), 40 * GST_MSECOND);
    GstMapInfo info;
    gst_buffer_map(buffer.get(), &info, GST_MAP_READ);
    std::string text(reinterpret_cast<const char*>(info.data), info.size);
    gst_buffer_unmap(buffer.get(), &info);
    return text;
  }
  Json pull() { return Json::parse(pull_text()); }

 private:
  GstHarness* harness_ = nullptr;
};

TEST_F(ResultsJson, ObjectsHaveTheirOwnClasses) {
  push({expressive()});
  const Json face = pull()["objects"][0];
  ASSERT_EQ(face["classifications"].size(), 2U);
  EXPECT_EQ(face["classifications"][1], (Json{{"label", "jawOpen"}, {"label_id", 1}, {"confidence", 0.5}}));
  push({some_results()});
  EXPECT_FALSE(pull()["objects"][0].contains("classifications"));
}

TEST_F(ResultsJson, HasTheFormatOfGvametaconvert) {
  push({some_results()});
  const std::string text = pull_text();
  EXPECT_EQ(std::ranges::count(text, '\n'), 1) << "one line: " << text;
  const Json json = Json::parse(text);
  EXPECT_EQ(json["resolution"], (Json{{"width", 400}, {"height", 200}})) << "the current frame size";
  EXPECT_EQ(json["timestamp"], 21 * GST_MSECOND);
  ASSERT_EQ(json["objects"].size(), 2U);
  const Json person = json["objects"][0];
  EXPECT_EQ(person["detection"],
            (Json{{"bounding_box", {{"x_min", 0.25}, {"x_max", 0.75}, {"y_min", 0.1}, {"y_max", 1.2}}},
                  {"confidence", 0.875},
                  {"label", "person"},
                  {"label_id", 0},
                  {"model", {{"name", "movenet"}}}}));
  EXPECT_EQ(person["x"], 100);
  EXPECT_EQ(person["y"], 20);
  EXPECT_EQ(person["w"], 200);
  EXPECT_EQ(person["h"], 180);
  EXPECT_EQ(person["id"], 3);
  EXPECT_EQ(person["region_id"], 0);
  EXPECT_EQ(person["roi_type"], "person");
  EXPECT_EQ(person["rotation"], 0.5);
  ASSERT_EQ(person["keypoints"].size(), 17U);
  EXPECT_EQ(person["keypoints"][16], (Json{{"name", "right_ankle"},
                                           {"x", 0.5},
                                           {"y", 0.25},
                                           {"z", -0.5},
                                           {"visibility", 0.9},
                                           {"presence", 0.8},
                                           {"world", {1, 2, 3}}}));
  const Json other = json["objects"][1];
  EXPECT_EQ(other["region_id"], 1);
  for (const char* absent : {"id", "roi_type", "keypoints", "rotation"}) EXPECT_FALSE(other.contains(absent)) << absent;
  EXPECT_FALSE(other["detection"].contains("label"));
  EXPECT_FALSE(other["detection"].contains("label_id"));
  EXPECT_FALSE(json.contains("source"));
  EXPECT_FALSE(json.contains("tags"));
}

TEST_F(ResultsJson, HasClassificationsAndSeveralModels) {
  InferenceResults second = classified();
  second.frame = some_results().frame;
  push({some_results(), second});
  const Json json = pull();
  ASSERT_EQ(json["objects"].size(), 3U);
  const Json picture = json["objects"][2];
  EXPECT_EQ(picture["w"], 400);
  EXPECT_EQ(picture["region_id"], 2);
  EXPECT_EQ(picture["classification"],
            (Json{{"label", "cat"}, {"label_id", 281}, {"confidence", 0.75}, {"model", {{"name", "mobilenet"}}}}));
  ASSERT_EQ(picture["classifications"].size(), 2U);
  EXPECT_EQ(picture["classifications"][1]["label"], "dog");
  EXPECT_EQ(pull_text(), "");
}

// If the GPU was behind, one frame carries the results of several.
TEST_F(ResultsJson, HasALinePerFrame) {
  push({some_results(), classified()});
  EXPECT_EQ(pull()["timestamp"], 21 * GST_MSECOND);
  EXPECT_EQ(pull()["timestamp"], 30 * GST_MSECOND);
  EXPECT_EQ(pull_text(), "");
}

// Results that no frame carries arrive as an event (results_meta.h).
TEST_F(ResultsJson, HasALinePerFrameOfAnEvent) {
  push({});
  const OwnedBuffer carrier = new_buffer();
  GST_BUFFER_FLAG_SET(carrier.get(), GST_BUFFER_FLAG_GAP);
  ASSERT_TRUE(attach_results(carrier.get(), shared(some_results()), 200, 100));
  ASSERT_TRUE(attach_results(carrier.get(), shared(classified()), 200, 100));
  const auto structure = [&carrier](const char* name) {
    return gst_structure_new(name, "buffer", GST_TYPE_BUFFER, carrier.get(), nullptr);
  };
  gst_harness_push_event(harness(), gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, structure("somebody-elses")));
  EXPECT_EQ(gst_harness_buffers_in_queue(harness()), 0U);
  gst_harness_push_event(harness(),
                         gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, structure(SIGHTGLASS_RESULTS_EVENT_NAME)));
  const OwnedBuffer first(gst_harness_try_pull(harness()));
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(GST_BUFFER_PTS(first.get()), GST_BUFFER_PTS(carrier.get()));
  EXPECT_FALSE(GST_BUFFER_FLAG_IS_SET(first.get(), GST_BUFFER_FLAG_GAP)) << "it is not empty";
  EXPECT_EQ(pull()["timestamp"], 30 * GST_MSECOND);
  EXPECT_EQ(pull_text(), "");
}

TEST_F(ResultsJson, WritesNothingIfNothingWasFound) {
  push({});
  InferenceResults none = some_results();
  none.objects.clear();
  push({none});
  EXPECT_EQ(pull_text(), "");
  g_object_set(harness()->element, "add-empty-results", TRUE, nullptr);
  push({});
  EXPECT_EQ(pull_text(), "") << "no model has reported anything yet";
  push({none});
  const Json json = pull();
  EXPECT_FALSE(json.contains("objects"));
  EXPECT_TRUE(json.contains("timestamp"));
}

TEST_F(ResultsJson, CarriesSourceTagsAndIndentation) {
  GstElement* element = harness()->element;
  g_object_set(element, "source", "camera 1", "tags", R"({"site": 7})", "json-indent", 2, nullptr);
  push({some_results()});
  const std::string text = pull_text();
  EXPECT_GT(std::ranges::count(text, '\n'), 10);
  EXPECT_EQ(Json::parse(text)["source"], "camera 1");
  EXPECT_EQ(Json::parse(text)["tags"], (Json{{"site", 7}}));
  g_object_set(element, "tags", "{no JSON", nullptr);
  push({some_results()});
  EXPECT_EQ(pull()["tags"], (Json{{"site", 7}})) << "stays unchanged";
}

// Numbers and texts that JSON cannot represent.
TEST_F(ResultsJson, IsAlwaysValidJson) {
  InferenceResults results = some_results();
  results.objects[0].label = "caf\xE9 \"quoted\"\n";
  results.objects[0].score = std::numeric_limits<float>::quiet_NaN();
  results.objects[0].box = {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN(), 5e20F};
  push({results});
  const Json json = pull();
  EXPECT_TRUE(json["objects"][0]["detection"]["confidence"].is_null());
  EXPECT_TRUE(json["objects"][0]["h"].is_number());
}

// Caps, segments, flushes, and the end of stream.
TEST_F(ResultsJson, FollowsItsStream) {
  push({some_results()});
  EXPECT_EQ(pull()["objects"][0]["x"], 100);
  gst_harness_set_src_caps_str(harness(), "video/x-raw,format=RGBA,width=800,height=400");
  push({some_results()});
  EXPECT_EQ(pull()["objects"][0]["x"], 200) << "in the current frame size";
  while (GstEvent* event = gst_harness_try_pull_event(harness())) gst_event_unref(event);
  for (GstEvent* event : {gst_event_new_flush_start(), gst_event_new_flush_stop(TRUE)}) {
    EXPECT_TRUE(gst_harness_push_event(harness(), event));
  }
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  EXPECT_TRUE(gst_harness_push_event(harness(), gst_event_new_segment(&segment)));
  push({some_results()});
  EXPECT_NE(pull_text(), "");
  push({});  // a gap
  EXPECT_TRUE(gst_harness_push_event(harness(), gst_event_new_eos()));
  std::string events;
  while (GstEvent* event = gst_harness_try_pull_event(harness())) {
    events += std::string(GST_EVENT_TYPE_NAME(event)) + " ";
    gst_event_unref(event);
  }
  EXPECT_EQ(events, "flush-start flush-stop segment gap eos ");
}

TEST_F(ResultsJson, AcceptsAnyFramesAndOutputsText) {
  for (const char* caps : {"video/x-raw,format=NV12,width=64,height=48", "video/x-raw(memory:DMABuf),format=NV12",
                           "video/x-h264,width=64,height=48", "application/x-anything"}) {
    GstHarness* any = gst_harness_new("resultsjson");
    gst_harness_set_sink_caps_str(any, "text/x-raw,format=utf8");
    gst_harness_set_src_caps_str(any, caps);
    GstBuffer* buffer = new_buffer().release();
    ASSERT_TRUE(attach_results(buffer, shared(some_results()), 200, 100));
    const OwnedBuffer line(gst_harness_push_and_pull(any, buffer));
    EXPECT_NE(line, nullptr) << caps;
    GstCaps* now = gst_pad_get_current_caps(any->sinkpad);
    ASSERT_NE(now, nullptr);
    EXPECT_STREQ(gst_structure_get_name(gst_caps_get_structure(now, 0)), "text/x-raw");
    gst_caps_unref(now);
    gst_harness_teardown(any);
  }
}

}  // namespace
}  // namespace sightglass::test
