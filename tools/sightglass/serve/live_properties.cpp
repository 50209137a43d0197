#include "serve/live_properties.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "video/element_options.h"

namespace sightglass::serve {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kModel = "model";

std::string_view type_of(GParamSpec* spec) {
  if (std::string_view(spec->name) == kModel) return "choice";
  if (G_IS_PARAM_SPEC_ENUM(spec)) return "choice";
  if (G_IS_PARAM_SPEC_BOOLEAN(spec)) return "switch";
  if (G_IS_PARAM_SPEC_FLOAT(spec) || G_IS_PARAM_SPEC_DOUBLE(spec)) return "number";
  if (G_IS_PARAM_SPEC_UINT(spec) && std::string_view(spec->name).ends_with("color")) return "color";
  if (G_IS_PARAM_SPEC_INT(spec) || G_IS_PARAM_SPEC_UINT(spec) || G_IS_PARAM_SPEC_INT64(spec) ||
      G_IS_PARAM_SPEC_UINT64(spec)) {
    return "integer";
  }
  return "text";
}

// 0.1F is 0.1 for readers, not 0.10000000149.
double shortest(float value) {
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  return g_ascii_strtod(g_ascii_formatd(text, sizeof(text), "%.7g", static_cast<double>(value)), nullptr);
}

ordered_json json_of(const GValue* value) {
  if (G_VALUE_HOLDS_BOOLEAN(value)) return g_value_get_boolean(value) != FALSE;
  if (G_VALUE_HOLDS_INT(value)) return g_value_get_int(value);
  if (G_VALUE_HOLDS_UINT(value)) return g_value_get_uint(value);
  if (G_VALUE_HOLDS_INT64(value)) return g_value_get_int64(value);
  if (G_VALUE_HOLDS_UINT64(value)) return g_value_get_uint64(value);
  if (G_VALUE_HOLDS_FLOAT(value)) return shortest(g_value_get_float(value));
  if (G_VALUE_HOLDS_DOUBLE(value)) return g_value_get_double(value);
  if (G_VALUE_HOLDS_STRING(value)) {
    const char* text = g_value_get_string(value);
    return text != nullptr ? ordered_json(text) : ordered_json(nullptr);
  }
  if (G_VALUE_HOLDS_ENUM(value)) {
    auto* words = static_cast<GEnumClass*>(g_type_class_ref(G_VALUE_TYPE(value)));
    const GEnumValue* word = g_enum_get_value(words, g_value_get_enum(value));
    ordered_json nick = word != nullptr ? ordered_json(word->value_nick) : ordered_json(nullptr);
    g_type_class_unref(words);
    return nick;
  }
  return nullptr;
}

template <typename Spec>
void add_range(ordered_json& entry, const Spec* spec) {
  entry["minimum"] = spec->minimum;
  entry["maximum"] = spec->maximum;
}

void add_range(ordered_json& entry, GParamSpec* spec) {
  if (G_IS_PARAM_SPEC_INT(spec)) add_range(entry, G_PARAM_SPEC_INT(spec));
  if (G_IS_PARAM_SPEC_UINT(spec)) add_range(entry, G_PARAM_SPEC_UINT(spec));
  if (G_IS_PARAM_SPEC_INT64(spec)) add_range(entry, G_PARAM_SPEC_INT64(spec));
  if (G_IS_PARAM_SPEC_UINT64(spec)) add_range(entry, G_PARAM_SPEC_UINT64(spec));
  if (G_IS_PARAM_SPEC_DOUBLE(spec)) add_range(entry, G_PARAM_SPEC_DOUBLE(spec));
  if (G_IS_PARAM_SPEC_FLOAT(spec)) {
    entry["minimum"] = shortest(G_PARAM_SPEC_FLOAT(spec)->minimum);
    entry["maximum"] = shortest(G_PARAM_SPEC_FLOAT(spec)->maximum);
  }
}

// Only known models of this machine can be chosen over the network: texts may be paths.
bool is_text(const GParamSpec* spec) {
  return spec->value_type == G_TYPE_STRING && std::string_view(spec->name) != kModel;
}

std::string reason_of(const GParamSpec* spec) {
  if (is_text(spec)) return "can be set only on the command line";
  if ((spec->flags & GST_PARAM_MUTABLE_PLAYING) == 0) return "can be set only at start, on the command line";
  return {};
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

Result<LiveProperties> LiveProperties::create(const video::VideoTask& task, GstElement* element) {
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<GParamSpec*> specs, video::element_settings(task.element));
  return LiveProperties(task, element, std::move(specs));
}

ordered_json LiveProperties::describe(GParamSpec* spec) const {
  GValue value = G_VALUE_INIT;
  g_value_init(&value, spec->value_type);
  g_object_get_property(G_OBJECT(element_), spec->name, &value);
  ordered_json entry = {{"name", spec->name}, {"nick", g_param_spec_get_nick(spec)}, {"type", type_of(spec)}};
  entry["value"] = json_of(&value);
  entry["default"] = json_of(g_param_spec_get_default_value(spec));
  g_value_unset(&value);
  add_range(entry, spec);
  if (std::string_view(spec->name) == kModel) {
    entry["words"] = ordered_json::array();
    for (const std::string& name : models_) entry["words"].push_back({{"word", name}, {"meaning", ""}});
  } else if (G_IS_PARAM_SPEC_ENUM(spec)) {
    entry["words"] = ordered_json::array();
    const GEnumClass* words = G_PARAM_SPEC_ENUM(spec)->enum_class;
    for (guint i = 0; i < words->n_values; ++i) {
      entry["words"].push_back({{"word", words->values[i].value_nick}, {"meaning", words->values[i].value_name}});
    }
  }
  entry["blurb"] = g_param_spec_get_blurb(spec);
  const std::string reason = reason_of(spec);
  entry["live"] = reason.empty();
  if (!reason.empty()) entry["reason"] = reason;
  return entry;
}

ordered_json LiveProperties::list() const {
  ordered_json all = ordered_json::array();
  for (GParamSpec* spec : specs_) all.push_back(describe(spec));
  return {{"element", task_->element}, {"properties", all}};
}

HttpError LiveProperties::check(GParamSpec* spec, const json& value, std::string& text) const {
  const std::string name = spec->name;
  const std::string reason = reason_of(spec);
  if (!reason.empty()) return {is_text(spec) ? kForbidden : kConflict, name + ": " + reason};
  if (!value.is_number() && !value.is_boolean() && !value.is_string()) {
    return {kBadRequest, name + ": a number, a text, true, or false is needed"};
  }
  text = value.is_string() ? value.get<std::string>() : value.dump();
  if (name == kModel) {
    if (std::find(models_.begin(), models_.end(), text) != models_.end()) return {};
    return {kBadRequest, "model: '" + text + "' is not a known model on this machine; use " + joined(models_)};
  }
  // The syntax of the command line also accepts "yes" for 1 and 3 for a word: not in JSON.
  const bool fits = G_IS_PARAM_SPEC_BOOLEAN(spec) ? value.is_boolean()
                    : G_IS_PARAM_SPEC_ENUM(spec)  ? value.is_string()
                                                  : !value.is_boolean();
  const Status valid = video::check_value(spec, text);
  if (fits && valid.ok()) return {};
  const std::string domain = video::domain_of(spec);
  return {kBadRequest,
          name + ": " + (valid.ok() ? "'" + text + "' is not a valid value; use " + domain : valid.message())};
}

HttpError LiveProperties::change(const std::string& text) const {
  const json values = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!values.is_object()) return {kBadRequest, R"(the body must be a JSON object such as {"hud": true})"};
  std::vector<std::pair<GParamSpec*, std::string>> changes;
  for (const auto& [name, value] : values.items()) {
    const std::string& wanted = name;  // lambdas of C++20 capture no structured bindings in Clang before 16
    const auto spec = std::find_if(specs_.begin(), specs_.end(), [&](auto* own) { return wanted == own->name; });
    if (spec == specs_.end()) return {kNotFound, name + ": is not a property of " + task_->element};
    std::string word;
    HttpError error = check(*spec, value, word);
    if (!error.ok()) return error;
    changes.emplace_back(*spec, word);
  }
  for (const auto& [spec, word] : changes) gst_util_set_object_arg(G_OBJECT(element_), spec->name, word.c_str());
  return {};
}

}  // namespace sightglass::serve
