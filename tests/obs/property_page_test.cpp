// The property page has the rows of the tables of glsegment.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "element/element_settings.h"
#include "obs_session.h"
#include "segment/settings.h"

namespace sightglass::test {
namespace {

const std::set<std::string> kNotInObs{"alpha",        "attach-mask", "dispatch-limit", "hud",
                                      "hud-position", "mask-source", "memory-limit",   "notice",
                                      "run-limit",    "start",       "video-direction"};

class PropertyPage : public ObsTest {
 protected:
  void SetUp() override {
    ObsTest::SetUp();
    if (HasFatalFailure()) return;
    filter_ = obs_source_create("sightglass_segment_filter", "background", nullptr, nullptr);
    page_.reset(obs_source_properties(filter_));
    defaults_ = obs_get_source_defaults("sightglass_segment_filter");
    for (GParamSpec* spec : model_properties().specs()) specs_.push_back(g_param_spec_ref_sink(spec));
    for (GParamSpec* spec : segment_properties().specs()) specs_.push_back(g_param_spec_ref_sink(spec));
  }
  void TearDown() override {
    for (GParamSpec* spec : specs_) g_param_spec_unref(spec);
  }
  obs_property_t* find(const char* name) const { return obs_properties_get(page_.get(), name); }
  bool is_visible(const char* name) const { return obs_property_visible(find(name)); }

  struct Destroy {
    void operator()(obs_properties_t* page) const { obs_properties_destroy(page); }
  };
  OBSSourceAutoRelease filter_;
  std::unique_ptr<obs_properties_t, Destroy> page_;
  OBSDataAutoRelease defaults_;
  std::vector<GParamSpec*> specs_;
};

TEST_F(PropertyPage, HasTheTextsOfTheTables) {
  ASSERT_GT(specs_.size(), 40u);
  for (GParamSpec* spec : specs_) {
    const char* const name = g_param_spec_get_name(spec);
    obs_property_t* const row = find(name);
    ASSERT_EQ(row == nullptr, kNotInObs.contains(name)) << name;
    if (row == nullptr) continue;
    EXPECT_STREQ(obs_property_description(row), g_param_spec_get_nick(spec));
    EXPECT_STREQ(obs_property_long_description(row), g_param_spec_get_blurb(spec));
  }
}

TEST_F(PropertyPage, HasTheRangesAndDefaultsOfTheTables) {
  int floats = 0, choices = 0;
  for (GParamSpec* spec : specs_) {
    const char* const name = g_param_spec_get_name(spec);
    obs_property_t* const row = find(name);
    if (row == nullptr) continue;
    const GValue* const value = g_param_spec_get_default_value(spec);
    if (const auto* number = G_IS_PARAM_SPEC_FLOAT(spec) ? G_PARAM_SPEC_FLOAT(spec) : nullptr) {
      ++floats;
      EXPECT_EQ(obs_property_float_min(row), number->minimum) << name;
      EXPECT_EQ(obs_property_float_max(row), number->maximum) << name;
      EXPECT_EQ(obs_data_get_double(defaults_, name), g_value_get_float(value)) << name;
    } else if (G_IS_PARAM_SPEC_ENUM(spec)) {
      ++choices;
      const GEnumClass* const words = G_PARAM_SPEC_ENUM(spec)->enum_class;
      const bool on_failure = std::string_view(name) == "on-failure";  // there is no stream to end with an error
      EXPECT_EQ(obs_property_list_item_count(row), words->n_values - (on_failure ? 1 : 0)) << name;
      const GEnumValue& first = words->values[0];
      EXPECT_STREQ(obs_property_list_item_string(row, 0), first.value_nick);
      EXPECT_STREQ(obs_property_list_item_name(row, 0), first.value_name);
      EXPECT_STREQ(obs_data_get_string(defaults_, name),
                   g_enum_get_value(const_cast<GEnumClass*>(words), g_value_get_enum(value))->value_nick);
    }
  }
  EXPECT_GT(floats, 8);
  EXPECT_GT(choices, 8);
  EXPECT_EQ(obs_property_int_max(find("inference-interval")), static_cast<int>(kMostInferenceInterval));
  EXPECT_EQ(obs_data_get_int(defaults_, "background-color"), 0xFF008000) << "opaque green";
  EXPECT_STREQ(obs_data_get_string(defaults_, "model"), "figure");
}

TEST_F(PropertyPage, ShowsOnlyWhatTheBackgroundUses) {
  const OBSDataAutoRelease data = obs_source_get_settings(filter_);
  obs_properties_apply_settings(page_.get(), data);
  EXPECT_TRUE(is_visible("blur-strength"));
  EXPECT_FALSE(is_visible("background-color"));
  obs_data_set_string(data, "background", "color");
  obs_properties_apply_settings(page_.get(), data);
  EXPECT_FALSE(is_visible("blur-strength"));
  EXPECT_TRUE(is_visible("background-color"));
  EXPECT_FALSE(is_visible("background-location"));
}

}  // namespace
}  // namespace sightglass::test
