// An element with a property table that has a row of each kind.
#include "gobject/properties.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "test_pipeline.h"

namespace sightglass::test {
namespace {

enum class Shape : uint8_t { kRound, kSquare };

struct Pen {
  float width = 2.5F;
  std::array<float, 4> color{1, 0.5F, 0, 1};
};
struct Look {
  Pen pen;
  bool filled = true;
};
struct Settings {
  Look look;
  int32_t count = 3;
  uint32_t every = 1;
  uint64_t budget_ns = 7;
  double offset = -0.5;
  std::optional<double> scale;
  std::optional<std::string> label;
  Shape shape = Shape::kSquare;
  std::optional<Shape> cap;
  int even = 2;
};

Status set_even(Settings& settings, int value) {
  if (value % 2 != 0) return invalid_argument("even=" + std::to_string(value) + ": odd");
  settings.even = value;
  return {};
}

constexpr guint kFirst = 10;

const PropertyTable<Settings>& table() {
  static const auto* const table = new PropertyTable<Settings>(
      kFirst,
      {
          row::number("width", "Pen width", within(&Settings::look, &Look::pen, &Pen::width), 0, 9.5F, kLive, "Width"),
          row::color("color", "Pen color", within(&Settings::look, &Look::pen, &Pen::color), kLive, "Color"),
          row::flag("filled", "Is filled", within(&Settings::look, &Look::filled), kLive, "Whether to fill"),
          row::number("count", "Number", &Settings::count, -4, 4, kAtStart, "Number of them"),
          row::number("every", "Interval", &Settings::every, 1, 60, kLive, "Every Nth"),
          row::number("budget", "Time budget", &Settings::budget_ns, 0, 1000, kLive, "Time"),
          row::number("offset", "Shift", &Settings::offset, -1, 1, kLive, "Offset"),
          row::optional_number("scale", "Factor", &Settings::scale, 4.0, 0, 8, kAtStart, "Scale"),
          row::text("label", "Its label", &Settings::label, kLive, "Label"),
      },
      std::vector<Property<Settings>>{
          row::choice("shape", "Its shape", &Settings::shape, "GstGLTestShape",
                      {{Shape::kRound, "A circle", "round"}, {Shape::kSquare, "A square", "square"}}, kLive, "Shape"),
          row::choice("cap", "Its ends", &Settings::cap, "GstGLTestCap",
                      {{std::nullopt, "As shape", "auto"},
                       {Shape::kRound, "Round", "round"},
                       {Shape::kSquare, "Cut", "square"}},
                      kAtStart, "Ends"),
          row::number("even", "An even number", set_by(&Settings::even, set_even), 0, 100, kLive, "Even"),
      });
  return *table;
}

struct TestElement {
  GstElement parent;
};
struct TestElementClass {
  GstElementClass parent_class;
};

SharedSettings<Settings>* settings = nullptr;  // of the only element
bool started = false;
Status last;

void set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  last = settings->set(table(), id, *spec, value, started, GST_STATE(object));
}
void get_property(GObject* /*object*/, guint id, GValue* value, GParamSpec* /*spec*/) {
  EXPECT_TRUE(table().get(settings->snapshot(), id, value));
}

G_DEFINE_TYPE(TestElement, test_element, GST_TYPE_ELEMENT)
void test_element_init(TestElement* /*self*/) {}
void test_element_class_init(TestElementClass* klass) {
  G_OBJECT_CLASS(klass)->set_property = set_property;
  G_OBJECT_CLASS(klass)->get_property = get_property;
  table().install(G_OBJECT_CLASS(klass));
}

class Properties : public ::testing::Test {
 protected:
  void SetUp() override {
    init_gstreamer();
    settings = &settings_;
    started = false;
    last = {};
    object_ = static_cast<GObject*>(g_object_new(test_element_get_type(), nullptr));
    gst_object_ref_sink(object_);
  }
  void TearDown() override { gst_object_unref(object_); }

  GParamSpec* spec(const char* name) const { return g_object_class_find_property(G_OBJECT_GET_CLASS(object_), name); }
  std::string text(const char* name) const {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, spec(name)->value_type);
    g_object_get_property(object_, name, &value);
    gchar* const text = gst_value_serialize(&value);
    const std::string result = text != nullptr ? text : "NULL";
    g_free(text);
    g_value_unset(&value);
    return result;
  }
  void set(const char* name, const char* value) const { gst_util_set_object_arg(object_, name, value); }
  Settings now() const { return settings_.snapshot(); }

  SharedSettings<Settings> settings_;
  GObject* object_ = nullptr;
};

TEST_F(Properties, AreNumberedInTheOrderOfTheRows) {
  const std::vector<const char*> names = {"width",  "color", "filled", "count", "every", "budget",
                                          "offset", "scale", "label",  "shape", "cap",   "even"};
  for (size_t i = 0; i < names.size(); ++i) {
    ASSERT_NE(spec(names[i]), nullptr) << names[i];
    EXPECT_EQ(spec(names[i])->param_id, kFirst + i) << names[i];
  }
}

TEST_F(Properties, MatchTheirRow) {
  const GParamSpecFloat* width = G_PARAM_SPEC_FLOAT(spec("width"));
  EXPECT_EQ(width->minimum, 0);
  EXPECT_EQ(width->maximum, 9.5F);
  EXPECT_EQ(width->default_value, 2.5F);
  EXPECT_STREQ(g_param_spec_get_nick(spec("width")), "Pen width");
  EXPECT_STREQ(g_param_spec_get_blurb(spec("width")), "Width");
  EXPECT_EQ(G_PARAM_SPEC_UINT(spec("color"))->default_value, 0xFFFF8000U);
  EXPECT_EQ(G_PARAM_SPEC_UINT(spec("color"))->maximum, G_MAXUINT32);
  EXPECT_EQ(G_PARAM_SPEC_BOOLEAN(spec("filled"))->default_value, TRUE);
  EXPECT_EQ(G_PARAM_SPEC_INT(spec("count"))->minimum, -4);
  EXPECT_EQ(G_PARAM_SPEC_INT(spec("count"))->default_value, 3);
  EXPECT_EQ(G_PARAM_SPEC_UINT(spec("every"))->maximum, 60U);
  EXPECT_EQ(G_PARAM_SPEC_UINT64(spec("budget"))->default_value, 7U);
  EXPECT_EQ(G_PARAM_SPEC_DOUBLE(spec("offset"))->default_value, -0.5);
  EXPECT_EQ(G_PARAM_SPEC_DOUBLE(spec("scale"))->default_value, 4);
  EXPECT_EQ(G_PARAM_SPEC_STRING(spec("label"))->default_value, nullptr);
  EXPECT_EQ(G_PARAM_SPEC_ENUM(spec("shape"))->default_value, 1);
  EXPECT_STREQ(g_type_name(spec("shape")->value_type), "GstGLTestShape");
  const GEnumClass* caps = G_PARAM_SPEC_ENUM(spec("cap"))->enum_class;
  ASSERT_EQ(caps->n_values, 3U);
  EXPECT_STREQ(caps->values[2].value_nick, "square");
  EXPECT_STREQ(caps->values[2].value_name, "Cut");
  EXPECT_EQ(caps->values[2].value, 2);
}

TEST_F(Properties, StateWhenTheyTakeEffect) {
  constexpr int kOfTime = GST_PARAM_MUTABLE_READY | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE;
  EXPECT_EQ(spec("width")->flags & kOfTime, GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE);
  EXPECT_EQ(spec("count")->flags & kOfTime, GST_PARAM_MUTABLE_READY);
  EXPECT_EQ(spec("label")->flags & kOfTime, GST_PARAM_MUTABLE_PLAYING) << "strings have no controllers";
  for (const char* name : {"width", "count", "label"}) {
    EXPECT_EQ(spec(name)->flags & G_PARAM_READWRITE, G_PARAM_READWRITE) << name;
  }
}

TEST_F(Properties, AreTheirMembers) {
  for (const auto& [name, value] : std::vector<std::pair<const char*, const char*>>{{"width", "1.25"},
                                                                                    {"color", "2147484160"},
                                                                                    {"filled", "false"},
                                                                                    {"count", "-2"},
                                                                                    {"every", "30"},
                                                                                    {"budget", "1000"},
                                                                                    {"offset", "0.25"},
                                                                                    {"scale", "2"},
                                                                                    {"label", "pen"},
                                                                                    {"shape", "round"},
                                                                                    {"cap", "square"},
                                                                                    {"even", "8"}}) {
    set(name, value);
    EXPECT_EQ(text(name), value) << name;
  }
  const Settings all = now();
  EXPECT_EQ(all.look.pen.width, 1.25F);
  EXPECT_EQ(all.look.pen.color, (std::array<float, 4>{0, 2 / 255.0F, 0, 128 / 255.0F}));
  EXPECT_FALSE(all.look.filled);
  EXPECT_EQ(all.count, -2);
  EXPECT_EQ(all.every, 30U);
  EXPECT_EQ(all.budget_ns, 1000U);
  EXPECT_EQ(all.offset, 0.25);
  EXPECT_EQ(all.scale, 2);
  EXPECT_EQ(all.label, "pen");
  EXPECT_EQ(all.shape, Shape::kRound);
  EXPECT_EQ(all.cap, Shape::kSquare);
  EXPECT_EQ(all.even, 8);
}

TEST_F(Properties, ReadAsTheirDefaultIfUnset) {
  EXPECT_EQ(text("scale"), "4");
  EXPECT_EQ(now().scale, std::nullopt);
  EXPECT_EQ(text("cap"), "auto");
  set("cap", "round");
  set("cap", "auto");
  EXPECT_EQ(now().cap, std::nullopt);
  EXPECT_EQ(text("label"), "NULL");
  g_object_set(object_, "label", "", nullptr);
  EXPECT_EQ(now().label, "") << "NULL and \"\" are different";
  g_object_set(object_, "label", nullptr, nullptr);
  EXPECT_EQ(now().label, std::nullopt);
}

TEST_F(Properties, ReadAtStartKeepTheirValuesAfterward) {
  started = true;
  set("count", "1");
  EXPECT_EQ(text("count"), "3");
  EXPECT_NE(last.message().find("count=1"), std::string::npos) << last.message();
  EXPECT_NE(last.message().find("count=3 stays"), std::string::npos) << last.message();
  set("count", "3");
  EXPECT_TRUE(last.ok()) << "every setting is in effect: " << last.message();
  set("every", "5");
  EXPECT_TRUE(last.ok()) << last.message();
  EXPECT_EQ(text("every"), "5");
}

TEST_F(Properties, MayRejectValues) {
  set("even", "5");
  EXPECT_EQ(last.message(), "even=5: odd");
  EXPECT_EQ(text("even"), "2");
}

TEST_F(Properties, OfOtherTablesAreRejected) {
  Settings own;
  GValue value = G_VALUE_INIT;
  g_value_init(&value, G_TYPE_INT);
  for (const guint id : {0U, kFirst - 1, kFirst + 12}) {
    EXPECT_FALSE(table().get(own, id, &value)) << id;
    EXPECT_FALSE(table().set(own, id, &value).ok()) << id;
  }
  g_value_unset(&value);
}

}  // namespace
}  // namespace sightglass::test
