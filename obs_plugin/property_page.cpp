#include <obs-module.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "known_models.h"
#include "segment_filter.h"

namespace sightglass::obs {

namespace {

// Properties of streams, buffers and metadata, which OBS does not have. OBS blends, rotates and labels itself, and
// draws nothing until the filter is ready.
// The numbers of the limits exceed those of a page.
constexpr std::array<std::string_view, 11> kNotInObs{"alpha",        "attach-mask", "dispatch-limit", "hud",
                                                     "hud-position", "mask-source", "memory-limit",   "notice",
                                                     "run-limit",    "start",       "video-direction"};
constexpr std::string_view kBackground = "background";
constexpr std::string_view kModel = "model";
constexpr std::string_view kImageFile = "background-location";
constexpr std::string_view kCacheFolder = "cache-dir";
// OBS has no stream to end with an error.
constexpr std::string_view kOnFailure = "on-failure", kEndOfStream = "error";

// Properties that do something only with these backgrounds.
struct Dependent {
  std::string_view name;
  std::array<std::string_view, 2> backgrounds;
};
constexpr std::array<Dependent, 8> kDependents{{{"blur-strength", {"blur"}},
                                                {"blur-radius", {"blur"}},
                                                {"bokeh", {"blur"}},
                                                {"background-color", {"color", "image"}},
                                                {"background-location", {"image"}},
                                                {"background-fit", {"image"}},
                                                {"overlay-opacity", {"overlay"}},
                                                {"legend", {"overlay"}}}};

struct Row {
  GParamSpec* spec;  // lives as long as the process
  guint id;
  bool of_model;  // from the table of all elements with models; otherwise from that of glsegment

  const char* name() const { return g_param_spec_get_name(spec); }
  bool is(std::string_view other) const { return other == name(); }
  bool is_color() const { return G_IS_PARAM_SPEC_UINT(spec) && std::string_view(name()).ends_with("color"); }
  bool is_read_at_start() const { return (spec->flags & GST_PARAM_MUTABLE_READY) != 0; }
};

template <typename S>
void add_rows(std::vector<Row>& rows, const PropertyTable<S>& table, bool of_model) {
  guint id = table.first_id();
  for (GParamSpec* spec : table.specs()) {
    const Row row{g_param_spec_ref_sink(spec), id++, of_model};
    if (std::ranges::find(kNotInObs, std::string_view(row.name())) == kNotInObs.end()) rows.push_back(row);
  }
}

const std::vector<Row>& all_rows() {
  static const auto* const rows = [] {
    auto* const result = new std::vector<Row>;
    add_rows(*result, model_properties(), true);
    add_rows(*result, segment_properties(), false);
    return result;
  }();
  return *rows;
}

// 0xAARRGGBB to 0xAABBGGRR, and back.
uint32_t swap_red_and_blue(uint32_t color) {
  return (color & 0xFF00FF00U) | ((color & 0xFFU) << 16) | ((color >> 16) & 0xFFU);
}

// ---- The page

obs_property_t* add_choice(obs_properties_t* page, const Row& row) {
  obs_property_t* const list = obs_properties_add_list(page, row.name(), g_param_spec_get_nick(row.spec),
                                                       OBS_COMBO_TYPE_LIST, OBS_COMBO_FORMAT_STRING);
  const GEnumClass* const words = G_PARAM_SPEC_ENUM(row.spec)->enum_class;
  for (guint i = 0; i < words->n_values; ++i) {
    const GEnumValue& word = words->values[i];
    if (row.is(kOnFailure) && kEndOfStream == word.value_nick) continue;
    obs_property_list_add_string(list, word.value_name, word.value_nick);
  }
  return list;
}

obs_property_t* add_model(obs_properties_t* page, const Row& row) {
  obs_property_t* const list = obs_properties_add_list(page, row.name(), g_param_spec_get_nick(row.spec),
                                                       OBS_COMBO_TYPE_EDITABLE, OBS_COMBO_FORMAT_STRING);
  for (const KnownModel& model : known_models()) {
    const char* const name = model.published.name;
    if (model.task == Task::kSegmentation && name != nullptr) obs_property_list_add_string(list, name, name);
  }
  return list;
}

obs_property_t* add_text(obs_properties_t* page, const Row& row) {
  const char* const label = g_param_spec_get_nick(row.spec);
  if (row.is(kModel)) return add_model(page, row);
  if (row.is(kImageFile)) {
    return obs_properties_add_path(page, row.name(), label, OBS_PATH_FILE, "*.png *.jpg *.jpeg", nullptr);
  }
  if (row.is(kCacheFolder)) {
    return obs_properties_add_path(page, row.name(), label, OBS_PATH_DIRECTORY, nullptr, nullptr);
  }
  return obs_properties_add_text(page, row.name(), label, OBS_TEXT_DEFAULT);
}

obs_property_t* add_number(obs_properties_t* page, const Row& row, double least, double most) {
  constexpr double kMostOnSlider = 2000;
  const double range = most - least;
  const double step = range <= 2 ? 0.01 : range <= 50 ? 0.1 : 1;
  const auto add = range <= kMostOnSlider ? obs_properties_add_float_slider : obs_properties_add_float;
  return add(page, row.name(), g_param_spec_get_nick(row.spec), least, most, step);
}

obs_property_t* add_whole_number(obs_properties_t* page, const Row& row, int64_t least, uint64_t most) {
  const auto top = static_cast<int>(std::min<uint64_t>(most, INT32_MAX));
  return obs_properties_add_int(page, row.name(), g_param_spec_get_nick(row.spec), static_cast<int>(least), top, 1);
}

obs_property_t* add_row(obs_properties_t* page, const Row& row) {
  GParamSpec* const spec = row.spec;
  const char* const label = g_param_spec_get_nick(spec);
  if (row.is_color()) return obs_properties_add_color_alpha(page, row.name(), label);
  if (G_IS_PARAM_SPEC_ENUM(spec)) return add_choice(page, row);
  if (G_IS_PARAM_SPEC_BOOLEAN(spec)) return obs_properties_add_bool(page, row.name(), label);
  if (G_IS_PARAM_SPEC_STRING(spec)) return add_text(page, row);
  if (const auto* number = G_IS_PARAM_SPEC_FLOAT(spec) ? G_PARAM_SPEC_FLOAT(spec) : nullptr) {
    return add_number(page, row, number->minimum, number->maximum);
  }
  if (const auto* number = G_IS_PARAM_SPEC_DOUBLE(spec) ? G_PARAM_SPEC_DOUBLE(spec) : nullptr) {
    return add_number(page, row, number->minimum, number->maximum);
  }
  if (const auto* number = G_IS_PARAM_SPEC_INT(spec) ? G_PARAM_SPEC_INT(spec) : nullptr) {
    return add_whole_number(page, row, number->minimum, static_cast<uint64_t>(number->maximum));
  }
  if (const auto* number = G_IS_PARAM_SPEC_UINT(spec) ? G_PARAM_SPEC_UINT(spec) : nullptr) {
    return add_whole_number(page, row, number->minimum, number->maximum);
  }
  if (const auto* number = G_IS_PARAM_SPEC_UINT64(spec) ? G_PARAM_SPEC_UINT64(spec) : nullptr) {
    return add_whole_number(page, row, static_cast<int64_t>(number->minimum), number->maximum);
  }
  return nullptr;
}

bool show_dependents(obs_properties_t* page, obs_property_t* /*property*/, obs_data_t* data) {
  const std::string_view background = obs_data_get_string(data, kBackground.data());
  for (const Dependent& dependent : kDependents) {
    obs_property_t* const property = obs_properties_get(page, dependent.name.data());
    obs_property_set_visible(property,
                             std::ranges::find(dependent.backgrounds, background) != dependent.backgrounds.end());
  }
  return true;
}

// ---- Values

void set_default(obs_data_t* data, const Row& row) {
  GParamSpec* const spec = row.spec;
  const char* const name = row.name();
  const GValue* const value = g_param_spec_get_default_value(spec);
  if (row.is(kModel)) {
    obs_data_set_default_string(data, name, kDefaultModel);
  } else if (row.is_color()) {
    obs_data_set_default_int(data, name, swap_red_and_blue(g_value_get_uint(value)));
  } else if (G_IS_PARAM_SPEC_ENUM(spec)) {
    const GEnumValue* const word = g_enum_get_value(G_PARAM_SPEC_ENUM(spec)->enum_class, g_value_get_enum(value));
    obs_data_set_default_string(data, name, word->value_nick);
  } else if (G_IS_PARAM_SPEC_BOOLEAN(spec)) {
    obs_data_set_default_bool(data, name, g_value_get_boolean(value) != FALSE);
  } else if (G_IS_PARAM_SPEC_FLOAT(spec)) {
    obs_data_set_default_double(data, name, g_value_get_float(value));
  } else if (G_IS_PARAM_SPEC_DOUBLE(spec)) {
    obs_data_set_default_double(data, name, g_value_get_double(value));
  } else if (G_IS_PARAM_SPEC_INT(spec)) {
    obs_data_set_default_int(data, name, g_value_get_int(value));
  } else if (G_IS_PARAM_SPEC_UINT(spec)) {
    obs_data_set_default_int(data, name, g_value_get_uint(value));
  } else if (G_IS_PARAM_SPEC_UINT64(spec)) {
    obs_data_set_default_int(data, name, static_cast<long long>(g_value_get_uint64(value)));
  }
}

// Returns false if the value is not one of the property.
bool read_value(obs_data_t* data, const Row& row, GValue* value) {
  GParamSpec* const spec = row.spec;
  const char* const name = row.name();
  g_value_init(value, G_PARAM_SPEC_VALUE_TYPE(spec));
  if (row.is_color()) {
    g_value_set_uint(value, swap_red_and_blue(static_cast<uint32_t>(obs_data_get_int(data, name))));
  } else if (G_IS_PARAM_SPEC_ENUM(spec)) {
    const char* const nick = obs_data_get_string(data, name);
    const GEnumValue* const word = g_enum_get_value_by_nick(G_PARAM_SPEC_ENUM(spec)->enum_class, nick);
    if (word == nullptr) return false;
    g_value_set_enum(value, word->value);
  } else if (G_IS_PARAM_SPEC_BOOLEAN(spec)) {
    g_value_set_boolean(value, obs_data_get_bool(data, name) ? TRUE : FALSE);
  } else if (G_IS_PARAM_SPEC_STRING(spec)) {
    g_value_set_string(value, obs_data_get_string(data, name));
  } else if (G_IS_PARAM_SPEC_FLOAT(spec)) {
    g_value_set_float(value, static_cast<float>(obs_data_get_double(data, name)));
  } else if (G_IS_PARAM_SPEC_DOUBLE(spec)) {
    g_value_set_double(value, obs_data_get_double(data, name));
  } else {
    const int64_t number = obs_data_get_int(data, name);
    if (G_IS_PARAM_SPEC_INT(spec)) {
      g_value_set_int(value, static_cast<gint>(std::clamp<int64_t>(number, INT32_MIN, INT32_MAX)));
    } else if (G_IS_PARAM_SPEC_UINT(spec)) {
      g_value_set_uint(value, static_cast<guint>(std::clamp<int64_t>(number, 0, UINT32_MAX)));
    } else {
      g_value_set_uint64(value, static_cast<guint64>(std::max<int64_t>(number, 0)));
    }
  }
  g_param_value_validate(spec, value);
  return true;
}

}  // namespace

obs_properties_t* make_page() {
  obs_properties_t* const page = obs_properties_create();
  obs_properties_t* const at_start = obs_properties_create();
  for (const Row& row : all_rows()) {
    obs_property_t* const property = add_row(row.is_read_at_start() ? at_start : page, row);
    if (property == nullptr) continue;
    obs_property_set_long_description(property, g_param_spec_get_blurb(row.spec));
    if (row.is(kBackground)) obs_property_set_modified_callback(property, show_dependents);
  }
  obs_properties_add_group(page, "at-start", obs_module_text("AtStart"), OBS_GROUP_NORMAL, at_start);
  return page;
}

void set_defaults(obs_data_t* data) {
  for (const Row& row : all_rows()) set_default(data, row);
}

FilterSettings read_settings(obs_data_t* data) {
  FilterSettings settings;
  settings.segment.model.model = kDefaultModel;
  for (const Row& row : all_rows()) {
    if (!obs_data_has_user_value(data, row.name())) continue;
    GValue value = G_VALUE_INIT;
    if (read_value(data, row, &value)) {
      // The tables reject only orientations, which the page does not have.
      const Status status = row.of_model ? model_properties().set(settings.segment.model, row.id, &value)
                                         : segment_properties().set(settings.segment, row.id, &value);
      if (!status.ok()) blog(LOG_WARNING, "[sightglass] %s: %s", row.name(), status.message().c_str());
      if (row.is_read_at_start() || row.is(kModel)) {
        gchar* const text = g_strdup_value_contents(&value);
        settings.start_values += std::string(row.name()) + "=" + text + "\n";
        g_free(text);
      }
    }
    g_value_unset(&value);
  }
  return settings;
}

}  // namespace sightglass::obs
