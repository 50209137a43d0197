// Properties that cannot take effect: a warning on the bus states the reason, and the value in effect reads back.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "harness/scratch_folder.h"
#include "harness/words.h"
#include "model_elements.h"
#include "red_picture.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

std::string text_of(GstElement* element, const char* property) {
  GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), property);
  GValue value = G_VALUE_INIT;
  g_value_init(&value, spec->value_type);
  g_object_get_property(G_OBJECT(element), property, &value);
  gchar* serialized = gst_value_serialize(&value);
  g_value_unset(&value);
  const std::string text = serialized != nullptr ? serialized : "";
  g_free(serialized);
  return text;
}

void set(GstElement* element, const char* property, const char* value) {
  gst_util_set_object_arg(G_OBJECT(element), property, value);
}

class PropertyWarnings : public EveryModelElement {};
INSTANTIATE_TEST_SUITE_P(Elements, PropertyWarnings, kModelElements, name_of_element);

TEST_P(PropertyWarnings, PropertiesReadAtStartKeepTheirValues) {
  PlayingPipeline pipeline(element());
  ASSERT_TRUE(pipeline.pass(left_half_red(64, 64))) << pipeline.error();
  GstElement* const segment = pipeline.element();
  gst_element_get_state(pipeline.pipeline(), nullptr, nullptr, 20 * GST_SECOND);
  const std::string before = text_of(segment, "precision");
  set(segment, "precision", "fp16");
  expect_words(pipeline.warning(), {"precision=fp16", "PLAYING", "precision=fp32", "READY"});
  EXPECT_EQ(text_of(segment, "precision"), before);
  set(segment, "cache-dir", "/nonexistent/cache");
  expect_words(pipeline.warning(), {"cache-dir=/nonexistent/cache", "PLAYING"});
  EXPECT_NE(text_of(segment, "cache-dir"), "/nonexistent/cache");
  set(segment, "precision", before.c_str());
  EXPECT_EQ(pipeline.warning(), "") << "every setting is in effect";
  ASSERT_TRUE(pipeline.pass(left_half_red(64, 64))) << pipeline.error();
  ASSERT_TRUE(pipeline.set_state(GST_STATE_READY, true));
  set(segment, "precision", "fp16");
  EXPECT_EQ(text_of(segment, "precision"), "fp16");
  EXPECT_EQ(pipeline.warning(), "");
}

TEST_P(PropertyWarnings, CustomIsNotADirection) {
  TestPipeline pipeline(element());
  GstElement* const segment = pipeline.element();
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pass(left_half_red(64, 64))) << pipeline.error();
  set(segment, "video-direction", "180");
  set(segment, "video-direction", "custom");
  expect_words(pipeline.warning(), {"video-direction=custom", "video-direction=180"});
  EXPECT_EQ(text_of(segment, "video-direction"), "180");
  const Rgba turned = pipeline.shown(left_half_red(64, 64));
}

TEST(SegmentWarnings, ImageWaitsForItsLocation) {
  const std::string png = scratch_folder() / "gray.png";
  ASSERT_TRUE(save_png(picture(8, 8, [](int32_t, int32_t) { return false; }), png));
  TestPipeline pipeline("glsegment name=segment background=mask model=" + red_model());
  GstElement* const segment = pipeline.element();
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  const Rgba frame = left_half_red(64, 64);
  const auto right = [&] {
    const auto out = pipeline.pass(frame);
    EXPECT_TRUE(out) << pipeline.error();
    return out ? std::array<int, 3>{out->at(60, 32)[0], out->at(60, 32)[1], out->at(60, 32)[2]} : std::array<int, 3>{};
  };
  const std::array<int, 3> mask = {0, 0, 0}, image = {kGray[0], kGray[1], kGray[2]};
  EXPECT_EQ(right(), mask);
  for (int attempt = 0; attempt < 2; ++attempt) {
    set(segment, "background", "image");
    EXPECT_EQ(text_of(segment, "background"), "mask");
    EXPECT_EQ(right(), mask) << "not the plain color";
    expect_words(pipeline.warning(), {"background=image", "background-location"});
    EXPECT_EQ(right(), mask);
    EXPECT_EQ(pipeline.warning(), "") << "one warning is enough";
    set(segment, "background", "mask");
    EXPECT_EQ(right(), mask);
  }
  set(segment, "background", "image");
  g_object_set(segment, "background-location", "/nonexistent/picture.png", nullptr);
  EXPECT_EQ(right(), mask);
  expect_words(pipeline.warning(), {"/nonexistent/picture.png"});
  EXPECT_EQ(text_of(segment, "background"), "mask");
  g_object_set(segment, "background-location", png.c_str(), nullptr);
  EXPECT_EQ(right(), image);
  EXPECT_EQ(text_of(segment, "background"), "image");
  g_object_set(segment, "background-location", "/nonexistent/picture.png", nullptr);
  EXPECT_EQ(right(), image) << "the shown image stays";
  EXPECT_EQ(text_of(segment, "background"), "image");
  EXPECT_NE(pipeline.warning(), "");
  EXPECT_EQ(pipeline.error(), "");
}

// Both at once, in the natural order.
TEST(SegmentWarnings, ImageWithALocationDoesNotWarn) {
  const std::string png = scratch_folder() / "gray.png";
  ASSERT_TRUE(save_png(picture(8, 8, [](int32_t, int32_t) { return false; }), png));
  PlayingPipeline pipeline("glsegment name=segment background=mask model=" + red_model());
  ASSERT_TRUE(pipeline.pass(left_half_red(64, 64))) << pipeline.error();
  set(pipeline.element(), "background", "image");
  g_object_set(pipeline.element(), "background-location", png.c_str(), nullptr);
  const Rgba out = pipeline.shown(left_half_red(64, 64));
  EXPECT_EQ(out.at(60, 32)[0], kGray[0]);
  EXPECT_EQ(text_of(pipeline.element(), "background"), "image");
  EXPECT_EQ(pipeline.warning(), "");
}

TEST(InferWarnings, SettingsWithoutEffect) {
  const std::string picture = enlarging_model(16, 16), unknown = shaped_model({16, 16, 3, 7});
  {
    PlayingPipeline pipeline("glinfer name=segment max-results=3 results=meta model=" + picture);
    expect_words(pipeline.warning(5), {"max-results=3", "picture"});
  }
  {
    PlayingPipeline pipeline("glinfer name=segment model=" + picture);
    ASSERT_TRUE(pipeline.pass(left_half_red(64, 64))) << pipeline.error();
    EXPECT_EQ(pipeline.warning(), "") << "no property was set";
    g_object_set(pipeline.element(), "max-results", 3, nullptr);
    ASSERT_TRUE(pipeline.pass(left_half_red(64, 64))) << pipeline.error();
    expect_words(pipeline.warning(), {"max-results=3", "picture"});
    set(pipeline.element(), "results", "message");
    ASSERT_TRUE(pipeline.pass(left_half_red(64, 64))) << pipeline.error();
    expect_words(pipeline.warning(), {"results", "picture"});
    ASSERT_TRUE(pipeline.pass(left_half_red(64, 64))) << pipeline.error();
    EXPECT_EQ(pipeline.warning(), "") << "one warning is enough";
  }
  {
    // Such as iris landmarks.
    PlayingPipeline pipeline("glinfer name=segment model=" + unknown);
    expect_words(pipeline.warning(5), {"draw", "1x16x16x7", "attach-tensors"});
  }
  for (const char* wanted : {"attach-tensors=true", "draw=false", "task=tensors"}) {
    PlayingPipeline pipeline(std::string("glinfer name=segment ") + wanted + " model=" + unknown);
    ASSERT_TRUE(pipeline.pass(left_half_red(64, 64))) << pipeline.error();
    EXPECT_EQ(pipeline.warning(), "") << wanted;
  }
}

TEST(ResultsJsonWarnings, TagsThatAreNotJson) {
  init_gstreamer();
  GstElement* json = gst_element_factory_make("resultsjson", nullptr);
  GstBus* bus = gst_bus_new();
  gst_element_set_bus(json, bus);
  g_object_set(json, "tags", "[1]", nullptr);
  EXPECT_EQ(posted(json, GST_MESSAGE_WARNING), "");
  g_object_set(json, "tags", "{camera: 1}", nullptr);
  expect_words(posted(json, GST_MESSAGE_WARNING), {"{camera: 1}", "not valid JSON"});
  gchar* tags = nullptr;
  g_object_get(json, "tags", &tags, nullptr);
  EXPECT_STREQ(tags, "[1]");
  g_free(tags);
  gst_element_set_bus(json, nullptr);
  gst_object_unref(bus);
  gst_object_unref(json);
}

TEST(FigureWarnings, IsLiveKeepsItsValue) {
  const Launched pipeline("glfiguresrc name=figures num-buffers=2 ! fakesink");
  GstElement* figures = pipeline["figures"];
  gst_element_set_state(pipeline.get(), GST_STATE_PAUSED);
  ASSERT_TRUE(pipeline.settles());
  g_object_set(figures, "is-live", TRUE, nullptr);
  EXPECT_EQ(text_of(figures, "is-live"), "false");
  expect_words(posted(pipeline.get(), GST_MESSAGE_WARNING), {"is-live=true", "PAUSED"});
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  g_object_set(figures, "is-live", TRUE, nullptr);
  EXPECT_EQ(text_of(figures, "is-live"), "true");
}

}  // namespace
}  // namespace sightglass::test
