// Checks rules for the properties of all elements.
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "harness/scratch_folder.h"
#include "model_elements.h"
#include "red_picture.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

constexpr const char* kElements[] = {"glsegment",   "glsegmentbin",   "glpose",  "glposebin",   "glinfer", "glinferbin",
                                     "glfiguresrc", "gldmabufexport", "glframe", "resultsjson", "y4mread", "y4mwrite"};

class PropertyRules : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    init_gstreamer();
    element_ = gst_element_factory_make(GetParam(), nullptr);
    ASSERT_NE(element_, nullptr);
    gst_object_ref_sink(element_);
  }
  void TearDown() override { gst_object_unref(element_); }

  // Properties that are not from GStreamer itself.
  std::vector<GParamSpec*> properties() const {
    guint count = 0;
    GParamSpec** all = g_object_class_list_properties(G_OBJECT_GET_CLASS(element_), &count);
    std::vector<GParamSpec*> ours;
    for (guint i = 0; i < count; ++i) {
      if (g_type_is_a(all[i]->owner_type, GST_TYPE_ELEMENT) && g_type_get_plugin(all[i]->owner_type) == nullptr &&
          is_ours(all[i]->owner_type)) {
        ours.push_back(all[i]);
      }
    }
    g_free(all);
    return ours;
  }
  static bool is_ours(GType type) {
    for (const GType theirs : {GST_TYPE_ELEMENT, GST_TYPE_BIN, GST_TYPE_OBJECT}) {
      if (type == theirs) return false;
    }
    const std::string name = g_type_name(type);
    return name != "GstBaseTransform" && name != "GstGLBaseFilter" && name != "GstBaseSrc" && name != "GstGLBaseSrc" &&
           name != "GstPushSrc";
  }

  // Returns the value that is read after `set`, as text.
  std::string after(GParamSpec* spec, const std::function<void(GValue*)>& set) const {
    GValue value = G_VALUE_INIT, read = G_VALUE_INIT;
    g_value_init(&value, spec->value_type);
    g_value_init(&read, spec->value_type);
    set(&value);
    g_object_set_property(G_OBJECT(element_), spec->name, &value);
    g_object_get_property(G_OBJECT(element_), spec->name, &read);
    gchar* wanted = g_strdup_value_contents(&value);
    gchar* found = g_strdup_value_contents(&read);
    const std::string difference =
        g_param_values_cmp(spec, &value, &read) == 0 ? "" : std::string(wanted) + " reads back as " + found;
    g_free(wanted);
    g_free(found);
    g_value_unset(&value);
    g_value_unset(&read);
    return difference;
  }

  GstElement* element_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Elements, PropertyRules, ::testing::ValuesIn(kElements),
                         [](const auto& info) { return std::string(info.param); });

size_t words_in(const std::string& text) {
  std::istringstream stream(text);
  size_t words = 0;
  for (std::string word; stream >> word;) ++words;
  return words;
}

bool is_writable(const GParamSpec* spec) { return (spec->flags & G_PARAM_WRITABLE) != 0; }
bool is_live(const GParamSpec* spec) { return (spec->flags & GST_PARAM_MUTABLE_PLAYING) != 0; }
bool is_controllable(const GParamSpec* spec) { return (spec->flags & GST_PARAM_CONTROLLABLE) != 0; }

TEST_P(PropertyRules, NamesFollowGStreamer) {
  const std::string type = G_OBJECT_TYPE_NAME(element_);
  std::printf("%s\n", type.c_str());
  EXPECT_TRUE(type.starts_with(std::string(GetParam()).starts_with("gl") ? "GstGL" : "Gst")) << type;
  const std::string author = gst_element_get_metadata(element_, GST_ELEMENT_METADATA_AUTHOR);
  const size_t open = author.find(" <"), at = author.find('@');
  EXPECT_TRUE(open != std::string::npos && at != std::string::npos && open < at && author.back() == '>') << author;
  EXPECT_LE(words_in(gst_element_get_metadata(element_, GST_ELEMENT_METADATA_DESCRIPTION)), 25U);
  for (GParamSpec* spec : properties()) {
    if (!G_IS_PARAM_SPEC_ENUM(spec)) continue;
    const std::string name = g_type_name(spec->value_type);
    EXPECT_TRUE(name.starts_with("GstGL") || name == "GstVideoOrientationMethod") << spec->name << ": " << name;
  }
}

TEST_P(PropertyRules, BlurbsAreShort) {
  for (GParamSpec* spec : properties()) {
    const std::string blurb = g_param_spec_get_blurb(spec);
    EXPECT_LE(words_in(blurb), 25U) << spec->name << ": " << blurb;
    ASSERT_GT(blurb.size(), 12U) << spec->name;
    EXPECT_STRNE(g_param_spec_get_nick(spec), spec->name) << spec->name << " has no readable nick";
    EXPECT_TRUE(spec->flags & G_PARAM_READABLE) << spec->name;
    EXPECT_FALSE(std::islower(static_cast<unsigned char>(blurb.front()))) << spec->name << ": " << blurb;
    EXPECT_NE(blurb.back(), '.') << spec->name << ": " << blurb;
    EXPECT_LE(std::ranges::count(blurb, ';'), 1) << spec->name << ": " << blurb;
    if (!G_IS_PARAM_SPEC_ENUM(spec)) continue;
    const GEnumClass* values = G_PARAM_SPEC_ENUM(spec)->enum_class;
    for (guint i = 0; i < values->n_values; ++i) {
      EXPECT_LE(words_in(values->values[i].value_name), 12U) << spec->name << ": " << values->values[i].value_name;
    }
  }
}

// Controllers set numbers, booleans, and enumerations.
TEST_P(PropertyRules, LivePropertiesAreControllable) {
  for (GParamSpec* spec : properties()) {
    if (!is_writable(spec)) continue;
    EXPECT_NE(is_live(spec), (spec->flags & GST_PARAM_MUTABLE_READY) != 0) << spec->name;
    EXPECT_EQ(is_controllable(spec), is_live(spec) && !G_IS_PARAM_SPEC_STRING(spec)) << spec->name;
  }
}

TEST_P(PropertyRules, StringsReadBackAsSet) {
  for (GParamSpec* spec : properties()) {
    if (!G_IS_PARAM_SPEC_STRING(spec) || !is_writable(spec)) continue;
    EXPECT_EQ(G_PARAM_SPEC_STRING(spec)->default_value, nullptr) << spec->name;
    EXPECT_EQ(after(spec, [](GValue* value) { g_value_set_string(value, nullptr); }), "") << spec->name;
    for (const char* text : {"", "7", "\"a b\""}) {
      EXPECT_EQ(after(spec, [text](GValue* value) { g_value_set_static_string(value, text); }), "") << spec->name;
    }
    EXPECT_EQ(after(spec, [](GValue* value) { g_value_set_string(value, nullptr); }), "") << spec->name;
  }
}

template <typename Spec>
void expect_sane(const Spec* spec, double lowest, double highest) {
  EXPECT_GT(static_cast<double>(spec->minimum), lowest) << spec->parent_instance.name;
  EXPECT_LT(static_cast<double>(spec->maximum), highest) << spec->parent_instance.name;
}

// A controller spreads its values over the range, so a range of billions is useless.
TEST_P(PropertyRules, RangesAreSane) {
  constexpr double kMost = 1.1e9;  // nanoseconds of a second
  for (GParamSpec* spec : properties()) {
    const std::string name = spec->name;
    // All values of 32 bits are meaningful.
    if (name.ends_with("color") || name == "seed" || !is_controllable(spec)) continue;
    if (G_IS_PARAM_SPEC_UINT(spec)) expect_sane(G_PARAM_SPEC_UINT(spec), -1, 2e5);
    if (G_IS_PARAM_SPEC_INT(spec)) expect_sane(G_PARAM_SPEC_INT(spec), -2e5, 2e5);
    if (G_IS_PARAM_SPEC_UINT64(spec)) expect_sane(G_PARAM_SPEC_UINT64(spec), -1, kMost);
    if (G_IS_PARAM_SPEC_FLOAT(spec)) expect_sane(G_PARAM_SPEC_FLOAT(spec), -1e5, 1e5);
    if (G_IS_PARAM_SPEC_DOUBLE(spec)) expect_sane(G_PARAM_SPEC_DOUBLE(spec), -1e5, 1e5);
  }
}

TEST_P(PropertyRules, ValuesReadBackAsSet) {
  for (GParamSpec* spec : properties()) {
    if (!is_writable(spec)) continue;
    if (G_IS_PARAM_SPEC_BOOLEAN(spec)) {
      for (const gboolean on : {gboolean{TRUE}, gboolean{FALSE}}) {
        EXPECT_EQ(after(spec, [on](GValue* value) { g_value_set_boolean(value, on); }), "") << spec->name;
      }
    } else if (G_IS_PARAM_SPEC_ENUM(spec)) {
      const GEnumClass* values = G_PARAM_SPEC_ENUM(spec)->enum_class;
      for (guint i = 0; i < values->n_values; ++i) {
        // A direction defined by the element, which our elements lack.
        if (std::string(values->values[i].value_nick) == "custom") continue;
        EXPECT_EQ(after(spec, [&](GValue* value) { g_value_set_enum(value, values->values[i].value); }), "")
            << spec->name;
      }
    } else if (G_IS_PARAM_SPEC_FLOAT(spec)) {
      const GParamSpecFloat* range = G_PARAM_SPEC_FLOAT(spec);
      for (const float number : {range->minimum, range->maximum, 0.5F * (range->minimum + range->maximum)}) {
        EXPECT_EQ(after(spec, [number](GValue* value) { g_value_set_float(value, number); }), "") << spec->name;
      }
    } else if (G_IS_PARAM_SPEC_UINT(spec)) {
      for (const guint number : {G_PARAM_SPEC_UINT(spec)->minimum, G_PARAM_SPEC_UINT(spec)->maximum}) {
        EXPECT_EQ(after(spec, [number](GValue* value) { g_value_set_uint(value, number); }), "") << spec->name;
      }
    }
  }
}

TEST(PropertyRulesOfBins, HaveAVideoDirection) {
  init_gstreamer();
  for (const char* name : {"glsegmentbin", "glposebin", "glinferbin", "glsegment", "glpose", "glinfer"}) {
    GstElement* element = gst_element_factory_make(name, nullptr);
    gst_object_ref_sink(element);
    EXPECT_TRUE(GST_IS_VIDEO_DIRECTION(element)) << name;
    gst_object_unref(element);
  }
}

// All controllable properties of a playing element at once, within the first half of their ranges.
class Controlled : public EveryModelElement {};
INSTANTIATE_TEST_SUITE_P(Elements, Controlled, kModelElements, name_of_element);

TEST_P(Controlled, AllFollowTheirControllers) {
  const std::string png = scratch_folder() / "controlled.png";
  ASSERT_TRUE(save_png(picture(8, 8, [](int32_t, int32_t) { return false; }), png));
  const std::string picture = std::string(GetParam()) == "glsegment" ? " background-location=" + png : "";
  TestPipeline pipeline(element("name=segment" + picture));
  GstElement* const element = pipeline.element();
  guint count = 0;
  GParamSpec** all = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count);
  const std::vector<GParamSpec*> specs(all, all + count);
  g_free(all);
  std::vector<GParamSpec*> controlled;
  for (GParamSpec* spec : specs) {
    if (!is_live(spec) || !is_controllable(spec)) continue;
    GstControlSource* source = gst_interpolation_control_source_new();
    g_object_set(source, "mode", GST_INTERPOLATION_MODE_LINEAR, nullptr);
    gst_timed_value_control_source_set(GST_TIMED_VALUE_CONTROL_SOURCE(source), 0, 0);
    gst_timed_value_control_source_set(GST_TIMED_VALUE_CONTROL_SOURCE(source), GST_SECOND, 1);
    ASSERT_TRUE(gst_object_add_control_binding(GST_OBJECT(element),
                                               gst_direct_control_binding_new(GST_OBJECT(element), spec->name, source)))
        << spec->name;
    gst_object_unref(source);
    controlled.push_back(spec);
  }
  std::printf("%zu properties\n", controlled.size());
  EXPECT_GT(controlled.size(), 10U);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int frame = 0; frame <= 15; ++frame) {
    ASSERT_TRUE(pipeline.pass(left_half_red(64, 64))) << frame << ": " << pipeline.error();
    for (GParamSpec* spec : controlled) {
      GValue* expected = gst_object_get_value(GST_OBJECT(element), spec->name, GST_SECOND / 30 * frame);
      ASSERT_NE(expected, nullptr) << spec->name;
      GValue found = G_VALUE_INIT;
      g_value_init(&found, spec->value_type);
      g_object_get_property(G_OBJECT(element), spec->name, &found);
      gchar* wanted_text = gst_value_serialize(expected);
      gchar* found_text = gst_value_serialize(&found);
      EXPECT_EQ(g_param_values_cmp(spec, expected, &found), 0)
          << spec->name << ", frame " << frame << ": " << found_text << ", not " << wanted_text;
      g_free(wanted_text);
      g_free(found_text);
      g_value_unset(&found);
      g_value_unset(expected);
      g_free(expected);
    }
  }
}

}  // namespace
}  // namespace sightglass::test
