// Common behavior of the elements that run models: formats, sizes, flushes, contexts, queries, QoS, and properties
// while playing.
#include "model_elements.h"

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <gst/gl/gl.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "red_picture.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Elements, EveryModelElement, kModelElements, name_of_element);

void expect_size(const std::optional<Rgba>& picture, int32_t width, int32_t height, const std::string& what) {
  ASSERT_TRUE(picture) << what;
  EXPECT_EQ(picture->width, width) << what;
  EXPECT_EQ(picture->height, height) << what;
}

TEST_P(EveryModelElement, TakesEveryFormat) {
  TestPipeline pipeline(element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (const std::string format : {"RGBA", "NV12", "NV21", "I420", "YV12"}) {
    const std::string caps = "video/x-raw,width=64,height=48,framerate=30/1,format=" + format;
    const std::vector<uint8_t> bytes(format == "RGBA" ? 64 * 48 * 4 : 64 * 48 * 3 / 2, 128);
    expect_size(pipeline.pass(caps, bytes), 64, 48, format + ": " + pipeline.error());
  }
}

TEST_P(EveryModelElement, FollowsTheSizeOfFrames) {
  TestPipeline pipeline(element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (const auto& [width, height] : {std::pair{64, 48}, {81, 33}, {1, 1}, {640, 480}, {64, 48}}) {
    expect_size(pipeline.pass(left_half_red(width, height)), width, height, pipeline.error());
  }
}

TEST_P(EveryModelElement, MakesFramesUpright) {
  TestPipeline pipeline(element("name=segment video-direction=90r"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  expect_size(pipeline.pass(left_half_red(64, 48)), 48, 64, pipeline.error());
}

TEST_P(EveryModelElement, ContinuesAfterFlushesAndSegments) {
  TestPipeline pipeline(element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int i = 0; i < 3; ++i) {
    expect_size(pipeline.pass(left_half_red(64, 48)), 64, 48, pipeline.error());
    ASSERT_TRUE(i == 0 ? pipeline.send_segment() : pipeline.flush());
  }
  expect_size(pipeline.pass(left_half_red(64, 48)), 64, 48, pipeline.error());
  pipeline.push_eos();
  EXPECT_FALSE(pipeline.pull());
  EXPECT_TRUE(pipeline.at_end());
  EXPECT_EQ(pipeline.error(), "");
}

TEST_P(EveryModelElement, SurvivesReplacementOfTheGlContext) {
  TestPipeline pipeline(element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  expect_size(pipeline.pass(left_half_red(64, 48)), 64, 48, pipeline.error());
  GstGLDisplay* display = gst_gl_display_new();
  GstContext* context = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
  gst_context_set_gl_display(context, display);
  gst_element_set_context(pipeline.pipeline(), context);
  gst_context_unref(context);
  gst_object_unref(display);
  // Neighbors switch when new caps arrive.
  expect_size(pipeline.pass(left_half_red(80, 64)), 80, 64, pipeline.error());
  EXPECT_EQ(pipeline.error(), "");
}

TEST_P(EveryModelElement, TwoInOnePipeline) {
  TestPipeline pipeline(element() + " ! " + element("name=another"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  expect_size(pipeline.pass(left_half_red(64, 48)), 64, 48, pipeline.error());
}

TEST_P(EveryModelElement, DropsLateFrames) {
  TestPipeline pipeline(element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pass(left_half_red(64, 48))) << pipeline.error();
  // Upstream elements would also drop the frame.
  GstPad* sink = gst_element_get_static_pad(pipeline.element(), "sink");
  gst_pad_add_probe(
      sink, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      [](GstPad*, GstPadProbeInfo* info, gpointer) {
        return GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_QOS ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
      },
      nullptr, nullptr);
  gst_object_unref(sink);
  GstPad* src = gst_element_get_static_pad(pipeline.element(), "src");
  gst_pad_send_event(src, gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 0.1, 10 * GST_SECOND, 0));
  gst_object_unref(src);
  ASSERT_TRUE(pipeline.push(left_half_red(64, 48)));
  pipeline.push_eos();
  EXPECT_FALSE(pipeline.pull()) << "the sink is ten seconds ahead";
  EXPECT_TRUE(pipeline.at_end());
  EXPECT_EQ(stat_of(pipeline.element(), "frames"), 1U);
  EXPECT_EQ(stat_of(pipeline.element(), "inferences"), 1U) << "the model does not run for dropped frames";
  EXPECT_EQ(stat_of(pipeline.element(), "dropped"), 1U);
}

TEST_P(EveryModelElement, ReportsItsLatency) {
  TestPipeline pipeline(element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(pipeline.pass(left_half_red(64, 48))) << pipeline.error();
  GstPad* pad = gst_element_get_static_pad(pipeline.element(), "src");
  GstQuery* query = gst_query_new_latency();
  ASSERT_TRUE(gst_pad_query(pad, query));
  GstClockTime least = 0;
  gst_query_parse_latency(query, nullptr, &least, nullptr);
  gst_query_unref(query);
  gst_object_unref(pad);
  EXPECT_GT(least, 0U);
  EXPECT_LT(least, GST_SECOND);
  EXPECT_EQ(least, stat_of(pipeline.element(), "latency"));
  EXPECT_EQ(stat_of(pipeline.element(), "frames"), 5U);
  EXPECT_EQ(stat_of(pipeline.element(), "inferences"), 5U);
  EXPECT_GT(stat_of(pipeline.element(), "cpu-time"), 0U);
  EXPECT_LE(stat_of(pipeline.element(), "gpu-time-p50"), stat_of(pipeline.element(), "gpu-time-p95"));
}

std::vector<GParamSpec*> properties_of(GstElement* element) {
  guint count = 0;
  GParamSpec** specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count);
  std::vector<GParamSpec*> own;
  for (guint i = 0; i < count; ++i) {
    // Properties of GStreamer base classes are excluded.
    const std::string owner = g_type_name(specs[i]->owner_type);
    if (owner != "GstObject" && owner != "GstBaseTransform" && owner != "GstGLBaseFilter") own.push_back(specs[i]);
  }
  g_free(specs);
  return own;
}

TEST_P(EveryModelElement, DescribesEachProperty) {
  TestPipeline pipeline(element());
  for (GParamSpec* spec : properties_of(pipeline.element())) {
    EXPECT_GT(std::strlen(g_param_spec_get_blurb(spec)), 12U) << spec->name;
    EXPECT_STRNE(g_param_spec_get_nick(spec), spec->name) << spec->name << " has no readable nick";
    EXPECT_TRUE(spec->flags & G_PARAM_READABLE) << spec->name;
    if ((spec->flags & G_PARAM_WRITABLE) == 0) continue;
    EXPECT_TRUE(spec->flags & (GST_PARAM_MUTABLE_READY | GST_PARAM_MUTABLE_PLAYING))
        << spec->name << " does not state when it can change";
    GValue value = G_VALUE_INIT;
    g_value_init(&value, spec->value_type);
    g_object_get_property(G_OBJECT(pipeline.element()), spec->name, &value);
    g_object_set_property(G_OBJECT(pipeline.element()), spec->name, &value);
    g_value_unset(&value);
  }
}

// The limits of a numeric or boolean property, or the first and the last value of an enum.
std::vector<double> extremes(GParamSpec* spec) {
  if (G_IS_PARAM_SPEC_BOOLEAN(spec)) return {0, 1};
  if (auto* of_enum = G_IS_PARAM_SPEC_ENUM(spec) ? G_PARAM_SPEC_ENUM(spec) : nullptr) {
    return {static_cast<double>(of_enum->enum_class->minimum), static_cast<double>(of_enum->enum_class->maximum)};
  }
  if (auto* of_float = G_IS_PARAM_SPEC_FLOAT(spec) ? G_PARAM_SPEC_FLOAT(spec) : nullptr) {
    return {of_float->minimum, of_float->maximum};
  }
  if (auto* of_double = G_IS_PARAM_SPEC_DOUBLE(spec) ? G_PARAM_SPEC_DOUBLE(spec) : nullptr) {
    return {of_double->minimum, of_double->maximum};
  }
  if (auto* of_int = G_IS_PARAM_SPEC_INT(spec) ? G_PARAM_SPEC_INT(spec) : nullptr) {
    return {static_cast<double>(of_int->minimum), static_cast<double>(of_int->maximum)};
  }
  if (auto* of_uint = G_IS_PARAM_SPEC_UINT(spec) ? G_PARAM_SPEC_UINT(spec) : nullptr) {
    return {static_cast<double>(of_uint->minimum), static_cast<double>(of_uint->maximum)};
  }
  return {};
}

void set_number(GstElement* element, GParamSpec* spec, double number) {
  GValue from = G_VALUE_INIT, to = G_VALUE_INIT;
  g_value_init(&from, G_TYPE_DOUBLE);
  g_value_set_double(&from, number);
  g_value_init(&to, spec->value_type);
  if (G_IS_PARAM_SPEC_BOOLEAN(spec)) {
    g_value_set_boolean(&to, number != 0);
  } else if (G_IS_PARAM_SPEC_ENUM(spec)) {
    g_value_set_enum(&to, static_cast<gint>(number));
  } else {
    ASSERT_TRUE(g_value_transform(&from, &to)) << spec->name;
  }
  g_object_set_property(G_OBJECT(element), spec->name, &to);
  g_value_unset(&to);
  g_value_unset(&from);
}

// The area in which two images of the same size differ.
struct Box {
  int32_t left = INT32_MAX, top = INT32_MAX, right = -1, bottom = -1;
};
Box where_different(const Rgba& a, const Rgba& b) {
  Box box;
  for (int32_t y = 0; y < a.height; ++y) {
    for (int32_t x = 0; x < a.width; ++x) {
      if (std::equal(a.at(x, y), a.at(x, y) + 4, b.at(x, y))) continue;
      box = {std::min(box.left, x), std::min(box.top, y), std::max(box.right, x), std::max(box.bottom, y)};
    }
  }
  return box;
}

// The HUD is in the selected corner from the next frame on, and the rest of the frame does not change.
TEST_P(EveryModelElement, TheHudFitsEveryCorner) {
  constexpr int32_t kWidth = 640, kHeight = 400, kMargin = 16;
  TestPipeline pipeline(element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pass(left_half_red(kWidth, kHeight))) << pipeline.error();
  const auto plain = pipeline.pass(left_half_red(kWidth, kHeight));
  ASSERT_TRUE(plain) << pipeline.error();
  g_object_set(pipeline.element(), "hud", TRUE, nullptr);
  std::string position = "top-left";  // the default
  for (const char* next : {"top-right", "bottom-left", "bottom-right", "top-left", ""}) {
    const auto shown = pipeline.pass(left_half_red(kWidth, kHeight));
    ASSERT_TRUE(shown) << pipeline.error();
    const Box box = where_different(*plain, *shown);
    std::printf("%s: %d,%d to %d,%d\n", position.c_str(), box.left, box.top, box.right, box.bottom);
    const bool right = position.ends_with("right"), bottom = position.starts_with("bottom");
    EXPECT_LE(right ? kWidth - 1 - box.right : box.left, kMargin) << position;
    EXPECT_LE(bottom ? kHeight - 1 - box.bottom : box.top, kMargin) << position;
    EXPECT_GT(right ? box.left : kWidth - 1 - box.right, kWidth / 4) << position;
    EXPECT_GT(bottom ? box.top : kHeight - 1 - box.bottom, kHeight / 2) << position;
    position = next;
    if (!position.empty()) gst_util_set_object_arg(G_OBJECT(pipeline.element()), "hud-position", next);
  }
}

// The notice is a bar in the middle of the lower edge from the next frame on, and of the upper edge if the HUD is
// below.
TEST_P(EveryModelElement, TheNoticeIsALineAtAnEdge) {
  constexpr int32_t kWidth = 640, kHeight = 400, kMargin = 16;
  TestPipeline pipeline(element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pass(left_half_red(kWidth, kHeight))) << pipeline.error();
  const auto plain = pipeline.pass(left_half_red(kWidth, kHeight));
  ASSERT_TRUE(plain) << pipeline.error();
  const std::string longer(400, 'w');
  for (const std::string& text : {std::string("parts of people can be missing"), longer}) {
    g_object_set(pipeline.element(), "notice", text.c_str(), nullptr);
    const auto shown = pipeline.pass(left_half_red(kWidth, kHeight));
    ASSERT_TRUE(shown) << pipeline.error();
    const Box box = where_different(*plain, *shown);
    std::printf("%d,%d to %d,%d\n", box.left, box.top, box.right, box.bottom);
    EXPECT_NEAR(box.left, kWidth - 1 - box.right, 2) << "centered";
    EXPECT_GE(box.left, text == longer ? 1 : kWidth / 6);
    EXPECT_LE(kHeight - 1 - box.bottom, kMargin);
    EXPECT_GT(box.top, kHeight * 7 / 8);
  }
  g_object_set(pipeline.element(), "hud", TRUE, nullptr);
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "hud-position", "bottom-left");
  const auto both = pipeline.pass(left_half_red(kWidth, kHeight));
  ASSERT_TRUE(both) << pipeline.error();
  EXPECT_LE(where_different(*plain, *both).top, kMargin);
  g_object_set(pipeline.element(), "hud", FALSE, "notice", "", nullptr);
  const auto off = pipeline.pass(left_half_red(kWidth, kHeight));
  ASSERT_TRUE(off) << pipeline.error();
  EXPECT_GT(where_different(*plain, *off).left, where_different(*plain, *off).right) << "no notice";
}

// Frames pass, whatever the value of a live property.
TEST_P(EveryModelElement, LivePropertiesMayChangeWhilePlaying) {
  TestPipeline pipeline(element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pass(left_half_red(64, 48))) << pipeline.error();
  int live = 0;
  for (GParamSpec* spec : properties_of(pipeline.element())) {
    if ((spec->flags & GST_PARAM_MUTABLE_PLAYING) == 0 || std::strcmp(spec->name, "video-direction") == 0) continue;
    GValue before = G_VALUE_INIT;
    g_value_init(&before, spec->value_type);
    g_object_get_property(G_OBJECT(pipeline.element()), spec->name, &before);
    for (const double number : extremes(spec)) {
      set_number(pipeline.element(), spec, number);
      expect_size(pipeline.pass(left_half_red(64, 48)), 64, 48,
                  spec->name + std::string("=") + std::to_string(number) + ": " + pipeline.error());
    }
    g_object_set_property(G_OBJECT(pipeline.element()), spec->name, &before);
    g_value_unset(&before);
    ++live;
  }
  std::printf("%s: %d live properties\n", GetParam(), live);
  EXPECT_GE(live, 4);
  EXPECT_EQ(pipeline.error(), "");
}

// The last direction, custom, is rejected.
bool is_followed(GParamSpec* spec) {
  return (spec->flags & GST_PARAM_CONTROLLABLE) != 0 && !extremes(spec).empty() &&
         std::strcmp(spec->name, "video-direction") != 0;
}

// The controller value for the time of a frame is set before the frame is drawn.
TEST_P(EveryModelElement, FollowsControllers) {
  TestPipeline pipeline(element());
  int controlled = 0;
  for (GParamSpec* spec : properties_of(pipeline.element())) {
    if (!is_followed(spec)) continue;
    GstControlSource* source = gst_interpolation_control_source_new();
    g_object_set(source, "mode", GST_INTERPOLATION_MODE_NONE, nullptr);
    gst_timed_value_control_source_set(GST_TIMED_VALUE_CONTROL_SOURCE(source), 0, extremes(spec)[0]);
    gst_timed_value_control_source_set(GST_TIMED_VALUE_CONTROL_SOURCE(source), GST_SECOND / 60, extremes(spec)[1]);
    gst_object_add_control_binding(
        GST_OBJECT(pipeline.element()),
        gst_direct_control_binding_new_absolute(GST_OBJECT(pipeline.element()), spec->name, source));
    gst_object_unref(source);
    ++controlled;
  }
  ASSERT_GE(controlled, 3);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (size_t frame = 0; frame < 2; ++frame) {
    ASSERT_TRUE(pipeline.push(left_half_red(64, 48)));
    // With results-sync=exact, a frame is held until the next one or the end of stream.
    if (frame == 1) pipeline.push_eos();
    expect_size(pipeline.pull(), 64, 48, pipeline.error());
    for (GParamSpec* spec : properties_of(pipeline.element())) {
      if (!is_followed(spec)) continue;
      GValue value = G_VALUE_INIT, number = G_VALUE_INIT;
      g_value_init(&value, spec->value_type);
      g_value_init(&number, G_TYPE_DOUBLE);
      g_object_get_property(G_OBJECT(pipeline.element()), spec->name, &value);
      if (G_IS_PARAM_SPEC_BOOLEAN(spec)) {
        g_value_set_double(&number, g_value_get_boolean(&value) != FALSE ? 1 : 0);
      } else if (G_IS_PARAM_SPEC_ENUM(spec)) {
        g_value_set_double(&number, g_value_get_enum(&value));
      } else {
        g_value_transform(&value, &number);
      }
      EXPECT_DOUBLE_EQ(g_value_get_double(&number), extremes(spec)[frame]) << spec->name << ", frame " << frame;
      g_value_unset(&number);
      g_value_unset(&value);
    }
  }
}

// ELEMENTbin is the element with upload and download.
TEST_P(EveryModelElement, HasABin) {
  init_gstreamer();
  GError* error = nullptr;
  std::string bin = element();
  bin.insert(std::strlen(GetParam()), "bin");
  const std::string text = "videotestsrc num-buffers=5 ! video/x-raw,format=NV12,width=64,height=48 ! " + bin +
                           " ! video/x-raw,format=I420 ! fakesink";
  GstElement* pipeline = gst_parse_launch(text.c_str(), &error);
  ASSERT_EQ(error, nullptr) << error->message;
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  EXPECT_EQ(outcome_of(pipeline), "end");
  GstElement* whole = gst_bin_get_by_name(GST_BIN(pipeline), "segment");
  EXPECT_EQ(stat_of(whole, "frames"), 5U);
  TestPipeline alone(element());
  for (GParamSpec* spec : properties_of(alone.element())) {
    GParamSpec* same = g_object_class_find_property(G_OBJECT_GET_CLASS(whole), spec->name);
    ASSERT_NE(same, nullptr) << spec->name;
    EXPECT_EQ(same->flags, spec->flags) << spec->name;
  }
  gst_object_unref(whole);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}

}  // namespace
}  // namespace sightglass::test
