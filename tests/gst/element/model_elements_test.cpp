// Common behavior of the elements that run models, in pipelines: formats, sizes, contexts, statistics, and properties
// while playing. The tests named harness_* have what they do between pads.
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
  PlayingPipeline pipeline(element());
  for (const std::string format : {"RGBA", "NV12", "NV21", "I420", "YV12"}) {
    const std::string caps = "video/x-raw,width=64,height=48,framerate=30/1,format=" + format;
    const std::vector<uint8_t> bytes(format == "RGBA" ? 64 * 48 * 4 : 64 * 48 * 3 / 2, 128);
    expect_size(pipeline.pass(caps, bytes), 64, 48, format + ": " + pipeline.error());
  }
}

TEST_P(EveryModelElement, FollowsTheSizeOfFrames) {
  PlayingPipeline pipeline(element());
  for (const auto& [width, height] : {std::pair{64, 48}, {81, 33}, {1, 1}, {1, 64}, {3, 2}, {640, 480}, {64, 48}}) {
    expect_size(pipeline.pass(left_half_red(width, height)), width, height, pipeline.error());
  }
}

TEST_P(EveryModelElement, SurvivesReplacementOfTheGlContext) {
  PlayingPipeline pipeline(element());
  expect_size(pipeline.pass(left_half_red(64, 48)), 64, 48, pipeline.error());
  for (const bool playing : {true, false}) {
    ASSERT_TRUE(playing || pipeline.set_state(GST_STATE_READY, true));
    GstGLDisplay* display = gst_gl_display_new();
    GstContext* context = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
    gst_context_set_gl_display(context, display);
    gst_element_set_context(pipeline.pipeline(), context);
    gst_context_unref(context);
    gst_object_unref(display);
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    // Neighbors switch when new caps arrive.
    expect_size(pipeline.pass(left_half_red(80, 64)), 80, 64, pipeline.error());
    EXPECT_EQ(pipeline.error(), "") << playing;
  }
}

TEST_P(EveryModelElement, TwoInOnePipeline) {
  PlayingPipeline pipeline(element() + " ! " + element("name=another"));
  expect_size(pipeline.pass(left_half_red(64, 48)), 64, 48, pipeline.error());
}

TEST_P(EveryModelElement, ReportsItsLatency) {
  PlayingPipeline pipeline(element());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(pipeline.pass(left_half_red(64, 48))) << pipeline.error();
  GstQuery* query = gst_query_new_latency();
  ASSERT_TRUE(gst_pad_query(pad_of(pipeline.element(), "src"), query));
  GstClockTime least = 0, most = 0;
  gboolean live = TRUE;
  gst_query_parse_latency(query, &live, &least, &most);
  gst_query_unref(query);
  const auto stat = [&](const char* name) { return stat_of(pipeline.element(), name); };
  EXPECT_FALSE(live);
  EXPECT_GT(least, 0U);
  EXPECT_LT(least, GST_SECOND);
  EXPECT_TRUE(!GST_CLOCK_TIME_IS_VALID(most) || most >= least);
  EXPECT_EQ(least, stat("latency"));
  EXPECT_EQ(least % (5 * GST_MSECOND), 0U);
  EXPECT_EQ(stat("frames"), 5U);
  EXPECT_EQ(stat("inferences"), 5U);
  for (const char* name : {"cpu-time", "start-time"}) EXPECT_GT(stat(name), 0U) << name;
  for (const char* name : {"dropped", "failures"}) EXPECT_EQ(stat(name), 0U) << name;
  EXPECT_EQ(stat("model-time") > 0, stat("gpu-time") > 0) << "both are averages, of runs and of frames";
  EXPECT_LE(stat("gpu-time-p50"), stat("gpu-time-p95"));
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

// Sets a controllable property to a fraction of its range, as controllers do.
void set_fraction(GstElement* element, GParamSpec* spec, double fraction) {
  GstControlSource* source = gst_interpolation_control_source_new();
  gst_timed_value_control_source_set(GST_TIMED_VALUE_CONTROL_SOURCE(source), 0, fraction);
  GstControlBinding* binding = gst_direct_control_binding_new(GST_OBJECT(element), spec->name, source);
  ASSERT_TRUE(gst_object_add_control_binding(GST_OBJECT(element), binding)) << spec->name;
  ASSERT_TRUE(gst_object_sync_values(GST_OBJECT(element), 0)) << spec->name;
  gst_object_remove_control_binding(GST_OBJECT(element), binding);
  gst_object_unref(source);
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
  PlayingPipeline pipeline(element());
  ASSERT_TRUE(pipeline.pass(left_half_red(kWidth, kHeight))) << pipeline.error();
  const Rgba plain = pipeline.shown(left_half_red(kWidth, kHeight));
  g_object_set(pipeline.element(), "hud", TRUE, nullptr);
  std::string position = "top-left";  // the default
  for (const char* next : {"top-right", "bottom-left", "bottom-right", "top-left", ""}) {
    const Rgba shown = pipeline.shown(left_half_red(kWidth, kHeight));
    const Box box = where_different(plain, shown);
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
  PlayingPipeline pipeline(element());
  ASSERT_TRUE(pipeline.pass(left_half_red(kWidth, kHeight))) << pipeline.error();
  const Rgba plain = pipeline.shown(left_half_red(kWidth, kHeight));
  const std::string longer(400, 'w');
  for (const std::string& text : {std::string("parts of people can be missing"), longer}) {
    g_object_set(pipeline.element(), "notice", text.c_str(), nullptr);
    const Rgba shown = pipeline.shown(left_half_red(kWidth, kHeight));
    const Box box = where_different(plain, shown);
    std::printf("%d,%d to %d,%d\n", box.left, box.top, box.right, box.bottom);
    EXPECT_NEAR(box.left, kWidth - 1 - box.right, 2) << "centered";
    EXPECT_GE(box.left, text == longer ? 1 : kWidth / 6);
    EXPECT_LE(kHeight - 1 - box.bottom, kMargin);
    EXPECT_GT(box.top, kHeight * 7 / 8);
  }
  g_object_set(pipeline.element(), "hud", TRUE, nullptr);
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "hud-position", "bottom-left");
  const Rgba both = pipeline.shown(left_half_red(kWidth, kHeight));
  EXPECT_LE(where_different(plain, both).top, kMargin);
  g_object_set(pipeline.element(), "hud", FALSE, "notice", "", nullptr);
  const Rgba off = pipeline.shown(left_half_red(kWidth, kHeight));
  EXPECT_GT(where_different(plain, off).left, where_different(plain, off).right) << "no notice";
}

// Frames pass, whatever the value of a live property.
TEST_P(EveryModelElement, LivePropertiesMayChangeWhilePlaying) {
  PlayingPipeline pipeline(element());
  ASSERT_TRUE(pipeline.pass(left_half_red(64, 48))) << pipeline.error();
  int live = 0;
  for (GParamSpec* spec : properties_of(pipeline.element())) {
    if ((spec->flags & GST_PARAM_CONTROLLABLE) == 0 || std::strcmp(spec->name, "video-direction") == 0) continue;
    GValue before = G_VALUE_INIT;
    g_value_init(&before, spec->value_type);
    g_object_get_property(G_OBJECT(pipeline.element()), spec->name, &before);
    for (const double fraction : {0.0, 1.0}) {
      set_fraction(pipeline.element(), spec, fraction);
      expect_size(pipeline.pass(left_half_red(64, 48)), 64, 48,
                  spec->name + std::string(" at ") + std::to_string(fraction) + ": " + pipeline.error());
    }
    g_object_set_property(G_OBJECT(pipeline.element()), spec->name, &before);
    g_value_unset(&before);
    ++live;
  }
  std::printf("%s: %d live properties\n", GetParam(), live);
  EXPECT_GE(live, 4);
  EXPECT_EQ(pipeline.error(), "");
}

// ELEMENTbin is the element with upload and download.
TEST_P(EveryModelElement, HasABin) {
  std::string bin = element();
  bin.insert(std::strlen(GetParam()), "bin");
  const Launched pipeline("videotestsrc num-buffers=5 ! video/x-raw,format=NV12,width=64,height=48 ! " + bin +
                          " ! video/x-raw,format=I420 ! fakesink");
  EXPECT_EQ(pipeline.outcome(), "end");
  GstElement* whole = pipeline["segment"];
  EXPECT_EQ(stat_of(whole, "frames"), 5U);
  TestPipeline alone(element());
  for (GParamSpec* spec : properties_of(alone.element())) {
    GParamSpec* same = g_object_class_find_property(G_OBJECT_GET_CLASS(whole), spec->name);
    ASSERT_NE(same, nullptr) << spec->name;
    EXPECT_EQ(same->flags, spec->flags) << spec->name;
    EXPECT_EQ(same->value_type, spec->value_type) << spec->name;
  }
}

}  // namespace
}  // namespace sightglass::test
