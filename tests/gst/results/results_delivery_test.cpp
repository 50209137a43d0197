// No result is lost, whatever happens to the stream, and with results-sync=exact each result is on its own frame.
#include <gst/gl/gstglfuncs.h>
#include <gst/video/gstvideometa.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "element_harness.h"
#include "harness/scratch_folder.h"
#include "model_elements.h"
#include "seen_results.h"
#include "sightglass/gst/results_meta.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

// A classifier of red, green, and blue images: classes 0, 1, and 2.
std::string color_classifier(const std::string& properties) {
  return "glinfer task=classification model=" + red_model(Head::kVector) + " " + properties;
}
std::string finder(const std::string& factory, const std::string& properties) {
  return factory == "glinfer" ? color_classifier(properties) : model_element(factory, properties);
}

// The output of an element: results by their frame number, and everything else by name.
struct Seen {
  std::vector<uint64_t> numbers;                // of results, from buffers and events
  std::vector<std::vector<uint64_t>> by_frame;  // of results on buffers
  Log log;                                      // "frame", "results", and event names

  void watch(GstPad* pad) {
    gst_pad_add_probe(
        pad, static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
        [](GstPad*, GstPadProbeInfo* info, gpointer seen) {
          static_cast<Seen*>(seen)->note(info);
          return GST_PAD_PROBE_OK;
        },
        this, nullptr);
  }
  void note(GstPadProbeInfo* info) {
    if ((GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
      by_frame.push_back(frames_of_results(GST_PAD_PROBE_INFO_BUFFER(info)));
      numbers.insert(numbers.end(), by_frame.back().begin(), by_frame.back().end());
      log.emplace_back("frame");
      return;
    }
    GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
    GstBuffer* carrier = sightglass_event_get_results(event);
    log.emplace_back(carrier != nullptr ? "results" : GST_EVENT_TYPE_NAME(event));
    if (carrier == nullptr) return;
    const std::vector<uint64_t> carried = frames_of_results(carrier);
    numbers.insert(numbers.end(), carried.begin(), carried.end());
  }
};

std::vector<uint64_t> first_numbers(uint64_t count) {
  std::vector<uint64_t> numbers(count);
  for (uint64_t i = 0; i < count; ++i) numbers[i] = i;
  return numbers;
}

// The frames with posted messages so far.
std::vector<uint64_t> posted(const ElementHarness& harness) {
  std::vector<uint64_t> numbers;
  while (const OwnMessage message = harness.message(GST_MESSAGE_ELEMENT)) {
    guint64 number = 0;
    const GstStructure* structure = gst_message_get_structure(message.get());
    if (gst_structure_has_name(structure, "sightglass-results") &&
        gst_structure_get_uint64(structure, "frame", &number) != FALSE) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

class ResultsDelivery : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string element(const std::string& properties) { return finder(GetParam(), properties); }
};
INSTANTIATE_TEST_SUITE_P(Elements, ResultsDelivery, ::testing::Values("glinfer", "glpose"),
                         [](const auto& info) { return std::string(info.param); });

// Events that end or change a stream follow all results up to then.
TEST_P(ResultsDelivery, ResultsPrecedeWhatDrainsThem) {
  ElementHarness harness(element("results=both"));
  Seen seen;
  seen.watch(harness.downstream());
  harness.begin();
  const auto send = [&harness](GstEvent* event) { EXPECT_TRUE(gst_harness_push_event(harness.get(), event)); };
  const std::pair<const char*, std::function<void()>> drains[] = {
      {"gap", [&] { send(gst_event_new_gap(GST_SECOND, GST_SECOND)); }},
      {"segment", [&] { harness.send_segment(5 * GST_SECOND); }},
      {"segment-done", [&] { send(gst_event_new_segment_done(GST_FORMAT_TIME, 6 * GST_SECOND)); }},
      {"caps", [&] { harness.send_caps(TextureSource::caps(80, 48, GST_GL_TEXTURE_TARGET_2D)); }},
      {"stream-start", [&] { send(gst_event_new_stream_start("another")); }},
      {"eos", [&] { send(gst_event_new_eos()); }}};
  uint64_t frames = 0;
  int32_t width = 64;
  for (const auto& [name, drain] : drains) {
    ASSERT_EQ(harness.push(harness.frame(width, 48)), GST_FLOW_OK) << name << harness.error();
    ++frames;
    seen.log.clear();
    drain();
    EXPECT_EQ(seen.log, (Log{"results", name}));
    EXPECT_EQ(seen.numbers, first_numbers(frames)) << name;
    if (name == std::string("caps")) width = 80;
    if (name == std::string("stream-start")) harness.send_segment();
  }
  EXPECT_EQ(posted(harness), first_numbers(frames)) << "messages are posted by then";
}

TEST_P(ResultsDelivery, AQueryDrains) {
  ElementHarness harness(element("results=meta"));
  Seen seen;
  seen.watch(harness.downstream());
  harness.begin();
  ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  const OwnQuery query(gst_query_new_drain());
  gst_pad_peer_query(harness.upstream(), query.get());
  EXPECT_EQ(seen.numbers, first_numbers(1));
}

TEST_P(ResultsDelivery, AFlushDropsThem) {
  ElementHarness harness(element("results=meta"));
  Seen seen;
  seen.watch(harness.downstream());
  harness.begin();
  ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_flush_start()));
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_flush_stop(TRUE)));
  ASSERT_TRUE(harness.send_segment());
  EXPECT_EQ(seen.numbers, first_numbers(0));
  ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_eos()));
  EXPECT_EQ(seen.numbers, (std::vector<uint64_t>{1})) << "the count continues";
}

TEST_P(ResultsDelivery, NewCapsLoseNothing) {
  for (const std::string sync : {"latest", "exact"}) {
    TestPipeline pipeline(element("name=segment results=meta results-sync=" + sync));
    Seen seen;
    GstPad* pad = pad_of(pipeline.element(), "src");
    seen.watch(pad);
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    const std::string caps = "video/x-raw,framerate=30/1,";
    const std::vector<uint8_t> bytes(96 * 48 * 4, 128);
    const auto push = [&](const std::string& format, int32_t width) {
      const size_t pixels = static_cast<size_t>(width) * 48;
      const std::vector<uint8_t> frame(
          bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(format == "RGBA" ? 4 * pixels : 3 * pixels / 2));
      ASSERT_TRUE(pipeline.push(caps + "height=48,width=" + std::to_string(width) + ",format=" + format, frame));
    };
    // Alternating sizes, then formats.
    for (const int32_t width : {64, 96, 64, 96, 64, 96}) push("RGBA", width);
    for (const char* format : {"RGBA", "NV12", "RGBA", "NV12"}) push(format, 64);
    pipeline.push_eos();
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(pipeline.pull()) << i << ": " << pipeline.error();
    EXPECT_FALSE(pipeline.pull());
    EXPECT_EQ(seen.numbers, first_numbers(10)) << sync;
  }
}

TEST_P(ResultsDelivery, ExactFramesCarryTheirOwn) {
  ElementHarness harness(element("results=meta results-sync=exact"));
  Seen seen;
  seen.watch(harness.downstream());
  harness.begin();
  constexpr uint64_t kFrames = 20;
  for (uint64_t i = 0; i < kFrames; ++i) {
    ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
    if (i == 7) gst_harness_push_event(harness.get(), gst_event_new_tag(gst_tag_list_new_empty()));
  }
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_eos()));
  Log expected{"stream-start", "caps", "segment"};
  for (uint64_t i = 0; i < kFrames; ++i) {
    expected.emplace_back("frame");
    if (i == 7) expected.emplace_back("tag");
  }
  expected.emplace_back("eos");
  EXPECT_EQ(seen.log, expected) << "only results of frames";
  ASSERT_EQ(seen.by_frame.size(), kFrames);
  for (uint64_t i = 0; i < kFrames; ++i) EXPECT_EQ(seen.by_frame[i], (std::vector<uint64_t>{i}));
  for (uint64_t i = 0; i < kFrames; ++i) {
    const OwnBuffer frame = harness.pull();
    gpointer state = nullptr;
    const SightglassResultsMeta* meta = sightglass_buffer_iterate_results_meta(frame.get(), &state);
    ASSERT_NE(meta, nullptr);
    EXPECT_EQ(meta->results->timestamp, GST_BUFFER_PTS(frame.get())) << i;
  }
}

TEST_P(ResultsDelivery, ExactIsReportedAsLatency) {
  for (const std::string sync : {"latest", "exact"}) {
    ElementHarness harness(element("results=meta results-sync=" + sync));
    harness.begin();
    ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
    const OwnQuery query(gst_query_new_latency());
    ASSERT_TRUE(gst_pad_peer_query(harness.downstream(), query.get()));
    GstClockTime least = 0, most = 0;
    gst_query_parse_latency(query.get(), nullptr, &least, &most);
    const bool exact = sync == "exact";
    EXPECT_EQ(harness.stat("latency") >= GST_SECOND / 30, exact) << harness.stat("latency");
    EXPECT_EQ(least, harness.stat("latency"));
    EXPECT_EQ(harness.message(GST_MESSAGE_LATENCY) != nullptr, exact) << "the pipeline queries the latency again";
  }
}

// Dropped late frames do not block the frames before them.
TEST_P(ResultsDelivery, DroppedFramesDoNotBlockOthers) {
  ElementHarness harness(element("results=meta results-sync=exact"));
  harness.begin();
  ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  GstGLContext* context = nullptr;
  g_object_get(harness.element(), "context", &context, nullptr);
  ASSERT_NE(context, nullptr);
  gst_gl_context_thread_add(
      context, [](GstGLContext* current, gpointer) { current->gl_vtable->Finish(); }, nullptr);
  gst_object_unref(context);
  EXPECT_EQ(harness.pull(), nullptr) << "held";
  gst_harness_push_upstream_event(harness.get(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 0.5, 0, GST_SECOND));
  ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  EXPECT_EQ(harness.stat("dropped"), 1U);
  const OwnBuffer first = harness.pull();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(frames_of_results(first.get()), first_numbers(1));
}

// Frames without a run have no results, and wait only for the frames before them.
TEST_P(ResultsDelivery, ExactFollowsTheInterval) {
  ElementHarness harness(element("results=meta results-sync=exact inference-interval=3"));
  Seen seen;
  seen.watch(harness.downstream());
  harness.begin();
  for (int i = 0; i < 8; ++i) ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_eos()));
  EXPECT_EQ(seen.by_frame, (std::vector<std::vector<uint64_t>>{{0}, {}, {}, {3}, {}, {}, {6}, {}}));
}

TEST_P(ResultsDelivery, SyncChangesWhilePlaying) {
  ElementHarness harness(element("results=meta"));
  Seen seen;
  seen.watch(harness.downstream());
  harness.begin();
  constexpr uint64_t kFrames = 24;
  for (uint64_t i = 0; i < kFrames; ++i) {
    gst_util_set_object_arg(G_OBJECT(harness.element()), "results-sync", i / 4 % 2 == 0 ? "latest" : "exact");
    ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  }
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_eos()));
  EXPECT_EQ(seen.numbers, first_numbers(kFrames));
  for (uint64_t i = 0; i < kFrames; ++i) {
    const OwnBuffer frame = harness.pull();
    ASSERT_NE(frame, nullptr) << i;
    EXPECT_EQ(GST_BUFFER_PTS(frame.get()) / (GST_SECOND / 30), i);
  }
}

// Each frame has another color, so that each result can be checked against its frame.
TEST(ExactResults, DescribeTheirFrame) {
  ElementHarness harness(color_classifier("results=meta results-sync=exact"));
  harness.begin(16, 16);
  constexpr int kFrames = 9;
  for (int i = 0; i < kFrames; ++i) {
    Rgba picture(16, 16);
    for (size_t pixel = 0; pixel < picture.pixels.size(); pixel += 4) {
      picture.pixels[pixel + static_cast<size_t>(i * i % 3)] = picture.pixels[pixel + 3] = 255;
    }
    GstBuffer* frame = harness.source().make(picture, GST_GL_TEXTURE_TARGET_2D);
    GST_BUFFER_PTS(frame) = static_cast<GstClockTime>(i) * GST_SECOND;
    ASSERT_EQ(harness.push(frame), GST_FLOW_OK) << harness.error();
  }
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_eos()));
  for (int i = 0; i < kFrames; ++i) {
    const OwnBuffer frame = harness.pull();
    ASSERT_NE(frame, nullptr);
    // As applications read it, with any GStreamer version.
    auto* region = gst_buffer_get_video_region_of_interest_meta(frame.get());
    ASSERT_NE(region, nullptr) << i;
    EXPECT_STREQ(g_quark_to_string(region->roi_type), "classification");
    EXPECT_EQ(region->w, 16U);
    const GstStructure* best = gst_video_region_of_interest_meta_get_param(region, "classification");
    ASSERT_NE(best, nullptr);
    gint label = -1;
    ASSERT_TRUE(gst_structure_get_int(best, "label_id", &label));
    EXPECT_EQ(label, i * i % 3) << i;
  }
}

// Runs `glinfer ! resultsjson ! filesink` to its end.
std::vector<nlohmann::json> json_of(const std::string& source, const std::string& element) {
  const std::string file = scratch_folder() / "results.json";
  const Launched pipeline(source + " ! glupload ! " + element +
                          " ! resultsjson add-empty-results=true ! filesink location=" + file);
  EXPECT_EQ(pipeline.outcome(), "end");
  std::vector<nlohmann::json> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

TEST(ResultsAsJson, ASingleImageHasALine) {
  const std::string of_element = color_classifier("results=both results-sync=");
  const std::string of_bin = "glinferbin" + of_element.substr(std::strlen("glinfer"));
  for (const std::string& element :
       {of_element + "latest", of_element + "exact", of_bin + "latest", of_bin + "exact"}) {
    const auto lines =
        json_of("videotestsrc num-buffers=1 pattern=blue ! video/x-raw,format=RGBA,width=64,height=48", element);
    ASSERT_EQ(lines.size(), 1U) << element;
    EXPECT_EQ(lines[0]["objects"][0]["classification"]["label_id"], 2);
    EXPECT_EQ(lines[0]["resolution"]["width"], 64);
    EXPECT_EQ(lines[0]["timestamp"], 0);
  }
}

TEST(ResultsAsJson, EveryFrameHasALine) {
  const auto lines = json_of("videotestsrc num-buffers=30 ! video/x-raw,format=RGBA,width=64,height=48,framerate=10/1",
                             finder("glpose", "results=meta"));
  ASSERT_EQ(lines.size(), 30U);
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i]["timestamp"], i * GST_SECOND / 10);
}

}  // namespace
}  // namespace sightglass::test
