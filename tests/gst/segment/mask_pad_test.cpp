// The request pad "mask" of glsegment, and that of glsegmentbin, which forwards it.
#include <gst/app/gstappsink.h>
#include <gst/gl/gl.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "element_harness.h"
#include "gl_faults.h"
#include "red_picture.h"
#include "sightglass/gst/mask_meta.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int32_t kSize = 64;

// The bin contains an element "segment", which TestPipeline uses as the element under test.
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

TEST_P(MaskPadOf, HasTheMaskOfEveryFrame) {
  TestPipeline pipeline(pipeline_with_masks("", GetParam()));
  const MaskSink masks(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int i = 0; i < 6; ++i) {
    const bool left = i % 2 == 0;
    ASSERT_TRUE(pipeline.pass(picture(kSize, kSize, [=](int32_t x, int32_t) { return (x < kSize / 2) == left; })))
        << pipeline.error();
    const Mask mask = masks.pull();
    EXPECT_EQ(mask.width, 16) << "the model size";
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

// An unlinked stream costs nothing: no mask is drawn.
TEST_P(MaskPadOf, CostsNothingUnlinked) {
  TestPipeline pipeline(GetParam() + std::string(" name=outer model=") + red_model());
  GstElement* outer = part_of(pipeline.pipeline(), "outer");
  GstPad* pad = gst_element_request_pad_simple(outer, "mask");
  ASSERT_NE(pad, nullptr);
  bool has_mask = false;
  on_buffers(outer, "src", [&](GstBuffer* frame) { has_mask = sightglass_buffer_get_mask_meta(frame) != nullptr; });
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  EXPECT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  EXPECT_FALSE(has_mask);
  EXPECT_EQ(pipeline.error(), "");
  pipeline.set_state(GST_STATE_NULL, true);
  gst_element_release_request_pad(outer, pad);
  gst_object_unref(pad);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  EXPECT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
}

// If the application releases the pad, the frames continue.
TEST_P(MaskPadOf, CanBeReleasedWhilePlaying) {
  TestPipeline pipeline(GetParam() + std::string(" name=outer model=") + red_model());
  GstElement* outer = part_of(pipeline.pipeline(), "outer");
  GstPad* pad = gst_element_request_pad_simple(outer, "mask");
  GstElement* sink = gst_parse_bin_from_description("queue ! fakesink async=false sync=false", TRUE, nullptr);
  gst_bin_add(GST_BIN(pipeline.pipeline()), sink);
  GstPad* sink_pad = pad_of(sink, "sink");
  ASSERT_EQ(gst_pad_link(pad, sink_pad), GST_PAD_LINK_OK);
  int masks = 0;
  on_buffers(sink, "sink", [&](GstBuffer* mask) {
    GstCaps* caps = gst_pad_get_current_caps(sink_pad);
    EXPECT_TRUE(gst_caps_features_contains(gst_caps_get_features(caps, 0), GST_CAPS_FEATURE_MEMORY_GL_MEMORY));
    gst_caps_unref(caps);
    EXPECT_TRUE(gst_is_gl_memory(gst_buffer_peek_memory(mask, 0)));
    ++masks;
  });
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  EXPECT_EQ(masks, 3);
  gst_element_release_request_pad(outer, pad);
  gst_object_unref(pad);
  EXPECT_FALSE(gst_pad_is_linked(sink_pad));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  EXPECT_EQ(masks, 3);
  EXPECT_EQ(pipeline.error(), "");
}

// Linked to the pad "mask" of the element: records its output in order.
class MaskBranch {
 public:
  explicit MaskBranch(GstElement* element) : element_(element), pad_(gst_element_request_pad_simple(element, "mask")) {
    EXPECT_NE(pad_, nullptr);
    gst_pad_set_element_private(sink_, this);
    gst_pad_set_chain_function(sink_, [](GstPad* sink, GstObject*, GstBuffer* buffer) {
      auto* self = static_cast<MaskBranch*>(gst_pad_get_element_private(sink));
      self->log_.push_back("mask " + std::to_string(GST_BUFFER_PTS(buffer) / GST_MSECOND));
      gst_buffer_unref(buffer);
      return self->flow;
    });
    gst_pad_set_event_function(sink_, [](GstPad* sink, GstObject*, GstEvent* event) -> gboolean {
      static_cast<MaskBranch*>(gst_pad_get_element_private(sink))->note(event);
      return TRUE;
    });
    gst_pad_set_active(sink_, TRUE);
    EXPECT_EQ(gst_pad_link(pad_, sink_), GST_PAD_LINK_OK);
  }
  ~MaskBranch() {
    gst_element_release_request_pad(element_, pad_);
    gst_object_unref(pad_);
    gst_pad_set_active(sink_, FALSE);
    gst_object_unref(sink_);
  }
  MaskBranch(const MaskBranch&) = delete;
  MaskBranch& operator=(const MaskBranch&) = delete;

  void unlink() const { gst_pad_unlink(pad_, sink_); }
  OwnEvent sticky(GstEventType type) const { return OwnEvent(gst_pad_get_sticky_event(sink_, type, 0)); }
  // Returns the log since the last call.
  Log take_log() { return std::exchange(log_, {}); }

  GstFlowReturn flow = GST_FLOW_OK;  // flow return for masks

 private:
  void note(GstEvent* event) {
    std::string text = GST_EVENT_TYPE_NAME(event);
    if (GST_EVENT_TYPE(event) == GST_EVENT_GAP) {
      GstClockTime time = 0, duration = 0;
      gst_event_parse_gap(event, &time, &duration);
      text += " " + std::to_string(time / GST_MSECOND) + "+" + std::to_string(duration / GST_MSECOND);
    } else if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) {
      text += " #" + std::to_string(gst_event_get_seqnum(event));
    }
    log_.push_back(text);
    gst_event_unref(event);
  }

  GstElement* element_;
  GstPad* pad_;
  GstPad* sink_ = gst_pad_new("masks", GST_PAD_SINK);
  Log log_;
};

std::string segmenter() { return "glsegment model=" + red_model(); }

void send(const ElementHarness& harness, GstEvent* event, guint32 number) {
  gst_event_set_seqnum(event, number);
  ASSERT_TRUE(gst_harness_push_event(harness.get(), event));
}

TEST(MaskPad, ForwardsUpstreamEvents) {
  ElementHarness harness(segmenter());
  MaskBranch masks(harness.element());
  GstEvent* start = gst_event_new_stream_start("upstream");
  gst_event_set_group_id(start, 77);
  gst_event_set_stream_flags(start, GST_STREAM_FLAG_SPARSE);
  send(harness, start, 1001);
  harness.send_caps(TextureSource::caps(kSize, kSize, GST_GL_TEXTURE_TARGET_2D));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.stop = 9 * GST_SECOND;
  send(harness, gst_event_new_segment(&segment), 1002);
  send(harness,
       gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "red", GST_TAG_IMAGE_ORIENTATION, "rotate-180", nullptr)),
       1003);
  // Before any frame, too.
  send(harness, gst_event_new_gap(0, 20 * GST_MSECOND), 1004);
  EXPECT_EQ(masks.take_log(), (Log{"stream-start #1001", "caps", "segment #1002", "tag #1003", "gap 0+20"}));

  const OwnEvent began = masks.sticky(GST_EVENT_STREAM_START);
  ASSERT_NE(began, nullptr);
  const gchar* id = nullptr;
  guint group = 0;
  GstStreamFlags flags = GST_STREAM_FLAG_NONE;
  gst_event_parse_stream_start(began.get(), &id);
  gst_event_parse_group_id(began.get(), &group);
  gst_event_parse_stream_flags(began.get(), &flags);
  EXPECT_STREQ(id, "upstream/mask") << "a separate stream";
  EXPECT_EQ(group, 77U);
  EXPECT_EQ(flags, GST_STREAM_FLAG_SPARSE);
  const OwnEvent tag = masks.sticky(GST_EVENT_TAG);
  ASSERT_NE(tag, nullptr);
  GstTagList* tags = nullptr;
  gst_event_parse_tag(tag.get(), &tags);
  const gchar* orientation = nullptr;
  ASSERT_TRUE(gst_tag_list_peek_string_index(tags, GST_TAG_IMAGE_ORIENTATION, 0, &orientation));
  EXPECT_STREQ(orientation, "rotate-0") << "masks are upright";

  ASSERT_EQ(harness.push(harness.frame(kSize, kSize)), GST_FLOW_OK) << harness.error();
  EXPECT_EQ(masks.take_log(), Log{"mask 0"});
  send(harness, gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "redder", nullptr)), 1005);
  ASSERT_EQ(harness.push(harness.frame(kSize, kSize)), GST_FLOW_OK) << harness.error();
  EXPECT_EQ(masks.take_log(), (Log{"tag #1005", "mask 33"}));
  send(harness, gst_event_new_gap(66 * GST_MSECOND, 100 * GST_MSECOND), 1006);
  send(harness, gst_event_new_segment_done(GST_FORMAT_TIME, 9 * GST_SECOND), 1007);
  EXPECT_EQ(masks.take_log(), (Log{"gap 66+100", "segment-done #1007"}));

  send(harness, gst_event_new_flush_start(), 1008);
  send(harness, gst_event_new_flush_stop(TRUE), 1008);
  send(harness, gst_event_new_segment(&segment), 1008);
  ASSERT_EQ(harness.push(harness.frame(kSize, kSize)), GST_FLOW_OK) << harness.error();
  EXPECT_EQ(masks.take_log(), (Log{"flush-start #1008", "flush-stop #1008", "segment #1008", "mask 66"}));
  send(harness, gst_event_new_eos(), 1009);
  EXPECT_EQ(masks.take_log(), Log{"eos #1009"});
  send(harness, gst_event_new_stream_start("another"), 1010);
  send(harness, gst_event_new_segment(&segment), 1011);
  ASSERT_EQ(harness.push(harness.frame(kSize, kSize)), GST_FLOW_OK) << harness.error();
  EXPECT_EQ(masks.take_log(), (Log{"stream-start #1010", "segment #1011", "mask 99"}));
}

TEST(MaskPad, LateFramesAreGaps) {
  ElementHarness harness(segmenter());
  MaskBranch masks(harness.element());
  harness.begin(kSize, kSize);
  ASSERT_EQ(harness.push(harness.frame(kSize, kSize)), GST_FLOW_OK) << harness.error();
  gst_harness_push_upstream_event(harness.get(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 0.5, 0, 70 * GST_MSECOND));
  masks.take_log();
  for (int i = 1; i < 4; ++i) ASSERT_EQ(harness.push(harness.frame(kSize, kSize)), GST_FLOW_OK) << harness.error();
  EXPECT_EQ(harness.stat("dropped"), 2U);
  EXPECT_EQ(masks.take_log(), (Log{"gap 33+33", "gap 66+33", "mask 99"}));
}

// The two pads act like those of a demuxer: upstream continues as long as one of them accepts buffers.
TEST(MaskPad, FlowsAreCombined) {
  struct Case {
    GstFlowReturn picture, mask, both;
  };
  for (const Case& c :
       {Case{GST_FLOW_OK, GST_FLOW_OK, GST_FLOW_OK}, Case{GST_FLOW_EOS, GST_FLOW_OK, GST_FLOW_OK},
        Case{GST_FLOW_OK, GST_FLOW_EOS, GST_FLOW_OK}, Case{GST_FLOW_EOS, GST_FLOW_EOS, GST_FLOW_EOS},
        Case{GST_FLOW_NOT_LINKED, GST_FLOW_OK, GST_FLOW_OK}, Case{GST_FLOW_OK, GST_FLOW_NOT_LINKED, GST_FLOW_OK},
        Case{GST_FLOW_NOT_LINKED, GST_FLOW_NOT_LINKED, GST_FLOW_NOT_LINKED},
        Case{GST_FLOW_EOS, GST_FLOW_NOT_LINKED, GST_FLOW_EOS}, Case{GST_FLOW_NOT_LINKED, GST_FLOW_EOS, GST_FLOW_EOS},
        Case{GST_FLOW_ERROR, GST_FLOW_OK, GST_FLOW_ERROR}, Case{GST_FLOW_OK, GST_FLOW_ERROR, GST_FLOW_ERROR},
        Case{GST_FLOW_OK, GST_FLOW_NOT_NEGOTIATED, GST_FLOW_NOT_NEGOTIATED},
        Case{GST_FLOW_OK, GST_FLOW_FLUSHING, GST_FLOW_FLUSHING}}) {
    SCOPED_TRACE(std::string(gst_flow_get_name(c.picture)) + " and " + gst_flow_get_name(c.mask));
    ElementHarness harness(segmenter());
    MaskBranch masks(harness.element());
    GstFlowReturn picture = c.picture;
    gst_pad_add_probe(
        harness.downstream(), GST_PAD_PROBE_TYPE_BUFFER,
        [](GstPad*, GstPadProbeInfo* info, gpointer flow) {
          GST_PAD_PROBE_INFO_FLOW_RETURN(info) = *static_cast<GstFlowReturn*>(flow);
          gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
          return GST_PAD_PROBE_HANDLED;
        },
        &picture, nullptr);
    masks.flow = c.mask;
    harness.begin(kSize, kSize);
    EXPECT_EQ(harness.push(harness.frame(kSize, kSize)), c.both);
    if (c.both != GST_FLOW_OK) continue;
    EXPECT_EQ(harness.push(harness.frame(kSize, kSize)), GST_FLOW_OK) << "one pad has ended";
    // A flush resets this.
    masks.flow = picture = GST_FLOW_OK;
    gst_harness_push_event(harness.get(), gst_event_new_flush_start());
    gst_harness_push_event(harness.get(), gst_event_new_flush_stop(TRUE));
    ASSERT_TRUE(harness.send_segment());
    masks.unlink();
    EXPECT_EQ(harness.push(harness.frame(kSize, kSize)), GST_FLOW_OK);
    picture = GST_FLOW_EOS;
    EXPECT_EQ(harness.push(harness.frame(kSize, kSize)), GST_FLOW_EOS) << "no pad is left";
  }
}

TEST(MaskPad, SourcePadMayBeUnlinked) {
  const Launched pipeline(
      "glfiguresrc num-buffers=4 ! glsegment name=segment model=" + red_model() +
      " segment.mask ! queue ! gldownload ! video/x-raw,format=GRAY8 ! fakesink name=sink sync=false");
  EXPECT_EQ(pipeline.outcome(), "end");
  EXPECT_EQ(stat_of(pipeline["sink"], "rendered"), 4U);
}

// Like the pads of tee.
TEST(MaskPad, CanBeRequestedWhileFramesFlow) {
  for (const GstState state : {GST_STATE_PAUSED, GST_STATE_PLAYING}) {
    SCOPED_TRACE(gst_element_state_get_name(state));
    ElementHarness harness(segmenter());
    gst_element_set_state(harness.element(), state);
    harness.begin(kSize, kSize);
    for (int round = 0; round < 3; ++round) {
      ASSERT_EQ(harness.push(harness.frame(kSize, kSize)), GST_FLOW_OK) << harness.error();
      MaskBranch masks(harness.element());
      ASSERT_EQ(harness.push(harness.frame(kSize, kSize)), GST_FLOW_OK) << harness.error();
      const Log log = masks.take_log();
      ASSERT_EQ(log.size(), 4U) << "round " << round;
      EXPECT_EQ(log[0].substr(0, 12), "stream-start");
      EXPECT_EQ(log[1], "caps");
      EXPECT_EQ(log[2].substr(0, 7), "segment");
      EXPECT_EQ(log[3].substr(0, 4), "mask");
      GstPadTemplate* pads = gst_element_get_pad_template(harness.element(), "mask");
      EXPECT_EQ(gst_element_request_pad(harness.element(), pads, nullptr, nullptr), nullptr) << "it exists already";
    }
  }
}

// Masks that arrive with the frames belong to the upstream element.
TEST(MaskPad, CarriesOnlyMasksOfTheElementItself) {
  ElementHarness harness("glsegment mask-source=meta background=color");
  GstPadTemplate* pads = gst_element_get_pad_template(harness.element(), "mask");
  EXPECT_EQ(gst_element_request_pad(harness.element(), pads, nullptr, nullptr), nullptr);
  TestPipeline pipeline(pipeline_with_masks());
  g_object_set(pipeline.element(), "mask-source", 1, nullptr);
  pipeline.set_state(GST_STATE_PLAYING);
  EXPECT_NE(pipeline.error(10).find("are for mask-source=model"), std::string::npos);
}

TEST_P(MaskPadOf, CanBeRequestedWhilePlaying) {
  TestPipeline pipeline(GetParam() + std::string(" name=outer model=") + red_model());
  GstElement* outer = part_of(pipeline.pipeline(), "outer");
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  GstPad* pad = gst_element_request_pad_simple(outer, "mask");
  ASSERT_NE(pad, nullptr);
  GstElement* branch = gst_parse_bin_from_description(
      "queue ! gldownload ! video/x-raw,format=GRAY8 ! appsink name=masks sync=false async=false", TRUE, nullptr);
  gst_bin_add(GST_BIN(pipeline.pipeline()), branch);
  gst_element_sync_state_with_parent(branch);
  GstPad* sink_pad = pad_of(branch, "sink");
  ASSERT_EQ(gst_pad_link(pad, sink_pad), GST_PAD_LINK_OK);
  const MaskSink masks(pipeline);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
    EXPECT_EQ(masks.pull().left, 255) << i;
  }
  pipeline.push_eos();
  EXPECT_FALSE(pipeline.pull());
  EXPECT_EQ(masks.pull().width, 0);
  EXPECT_TRUE(masks.at_end());
  EXPECT_EQ(pipeline.error(), "");
  gst_object_unref(pad);
}

// A frame without a mask is a gap in that stream.
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
  EXPECT_NEAR(static_cast<double>(times[1] - times[0]), 2e9 / 30, 1e3) << "the second frame has no mask";
}

}  // namespace
}  // namespace sightglass::test
