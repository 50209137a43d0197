#include "video/element_options.h"

#include <gst/gst.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <sstream>
#include <string_view>
#include <system_error>

#include "video/gst_setup.h"

namespace sightglass::video {

namespace {

// Properties of GStreamer base classes are not settings of the job.
bool is_setting(const GParamSpec* spec) {
  constexpr std::string_view kBaseClasses[] = {"GstObject", "GstElement", "GstBaseTransform", "GstGLBaseFilter",
                                               "GstGLFilter"};
  for (const std::string_view name : kBaseClasses) {
    if (name == g_type_name(spec->owner_type)) return false;
  }
  return (spec->flags & G_PARAM_WRITABLE) != 0;
}

std::string words_of(GParamSpec* spec, const char* separator) {
  std::string words;
  const GEnumClass* all = G_PARAM_SPEC_ENUM(spec)->enum_class;
  for (guint i = 0; i < all->n_values; ++i) words += std::string(i == 0 ? "" : separator) + all->values[i].value_nick;
  return words;
}

template <typename Spec>
std::string range_of(const Spec* spec) {
  std::ostringstream text;
  text << +spec->minimum << " to " << +spec->maximum;
  return text.str();
}

std::string default_of(GParamSpec* spec) {
  const GValue* value = g_param_spec_get_default_value(spec);
  if (G_VALUE_HOLDS_STRING(value)) return g_value_get_string(value) != nullptr ? g_value_get_string(value) : "";
  if (G_VALUE_HOLDS_ENUM(value)) {
    const GEnumValue* word = g_enum_get_value(G_PARAM_SPEC_ENUM(spec)->enum_class, g_value_get_enum(value));
    return word != nullptr ? word->value_nick : "";
  }
  const TextPtr text(gst_value_serialize(value));
  return text != nullptr ? text.get() : "";
}

std::string help_of(GParamSpec* spec) {
  std::string help = g_param_spec_get_blurb(spec);
  const std::string usual = default_of(spec);
  return usual.empty() ? help : help + " (" + usual + ")";
}

template <typename Integer>
bool is_integer(std::string_view text, Integer minimum, Integer maximum) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  Integer number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, hexadecimal ? 16 : 10);
  return error == std::errc() && end == text.data() + text.size() && number >= minimum && number <= maximum;
}

template <typename Spec>
bool is_in_range(std::string_view text, const Spec* spec) {
  return is_integer(text, spec->minimum, spec->maximum);
}

bool is_finite(const std::string& text) {
  char* end = nullptr;
  const double number = g_ascii_strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size() && std::isfinite(number);
}

bool is_word(GParamSpec* spec, const std::string& text) {
  GEnumClass* const words = G_PARAM_SPEC_ENUM(spec)->enum_class;
  return g_enum_get_value_by_nick(words, text.c_str()) != nullptr || is_integer(text, words->minimum, words->maximum);
}

// Deserialization in GStreamer takes an empty text for 0, and numbers modulo 2^32.
bool has_valid_syntax(GParamSpec* spec, const std::string& text) {
  if (text.find('\0') != std::string::npos) return false;
  if (G_IS_PARAM_SPEC_STRING(spec)) return true;
  if (G_IS_PARAM_SPEC_INT(spec)) return is_in_range(text, G_PARAM_SPEC_INT(spec));
  if (G_IS_PARAM_SPEC_UINT(spec)) return is_in_range(text, G_PARAM_SPEC_UINT(spec));
  if (G_IS_PARAM_SPEC_INT64(spec)) return is_in_range(text, G_PARAM_SPEC_INT64(spec));
  if (G_IS_PARAM_SPEC_UINT64(spec)) return is_in_range(text, G_PARAM_SPEC_UINT64(spec));
  if (G_IS_PARAM_SPEC_FLOAT(spec) || G_IS_PARAM_SPEC_DOUBLE(spec)) return is_finite(text);
  if (G_IS_PARAM_SPEC_ENUM(spec)) return is_word(spec, text);
  return !text.empty();
}

std::string type_name(GParamSpec* spec) {
  if (G_IS_PARAM_SPEC_ENUM(spec)) return "WORD:{" + words_of(spec, ",") + "}";
  return G_IS_PARAM_SPEC_STRING(spec) ? "TEXT" : "NUMBER";
}

}  // namespace

std::string domain_of(GParamSpec* spec) {
  if (G_IS_PARAM_SPEC_ENUM(spec)) return words_of(spec, ", ");
  if (G_IS_PARAM_SPEC_BOOLEAN(spec)) return "true, false";
  if (G_IS_PARAM_SPEC_INT(spec)) return range_of(G_PARAM_SPEC_INT(spec));
  if (G_IS_PARAM_SPEC_UINT(spec)) return range_of(G_PARAM_SPEC_UINT(spec));
  if (G_IS_PARAM_SPEC_INT64(spec)) return range_of(G_PARAM_SPEC_INT64(spec));
  if (G_IS_PARAM_SPEC_UINT64(spec)) return range_of(G_PARAM_SPEC_UINT64(spec));
  if (G_IS_PARAM_SPEC_FLOAT(spec)) return range_of(G_PARAM_SPEC_FLOAT(spec));
  if (G_IS_PARAM_SPEC_DOUBLE(spec)) return range_of(G_PARAM_SPEC_DOUBLE(spec));
  return {};
}

Status check_value(GParamSpec* spec, const std::string& text) {
  const std::string domain = domain_of(spec);
  const Status invalid =
      invalid_argument("'" + text + "' is not a valid value" + (domain.empty() ? "" : "; use " + domain));
  if (!has_valid_syntax(spec, text)) return invalid;
  GValue value = G_VALUE_INIT;
  g_value_init(&value, spec->value_type);
  const std::unique_ptr<GValue, void (*)(GValue*)> owner(&value, g_value_unset);
  // g_param_value_validate() changes values that are out of range.
  if (gst_value_deserialize_with_pspec(&value, text.c_str(), spec) && !g_param_value_validate(spec, &value)) return {};
  return invalid;
}

Result<std::vector<GParamSpec*>> element_settings(const std::string& element) {
  SIGHTGLASS_RETURN_IF_ERROR(need_element(element));
  const ElementPtr probe(GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make(element.c_str(), nullptr))));
  guint count = 0;
  // The class owns the descriptions, and classes of plugins stay loaded.
  const std::unique_ptr<GParamSpec*, FreeMemory> specs(
      g_object_class_list_properties(G_OBJECT_GET_CLASS(probe.get()), &count));
  std::vector<GParamSpec*> settings;
  for (guint i = 0; i < count; ++i) {
    if (is_setting(specs.get()[i])) settings.push_back(specs.get()[i]);
  }
  return settings;
}

Status check_values(const std::string& element, const PropertyValues& values) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<GParamSpec*> specs, element_settings(element));
  for (const auto& [name, value] : values) {
    const auto spec =
        std::find_if(specs.begin(), specs.end(), [&wanted = name](const auto* own) { return wanted == own->name; });
    // Properties of base classes are not in the table.
    if (spec == specs.end()) continue;
    const Status valid = check_value(*spec, value);
    if (!valid.ok()) return invalid_argument("--property " + name + ": " + valid.message());
  }
  return {};
}

Status add_element_options(CLI::App& app, const std::string& element, PropertyValues& values) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<GParamSpec*> specs, element_settings(element));
  for (GParamSpec* const spec : specs) {
    const std::string name = spec->name;
    // The command has an option of this name: the property is set with --property.
    if (app.get_option_no_throw("--" + name) != nullptr) continue;
    const auto store = [spec, &values](const std::string& text) {
      const Status valid = check_value(spec, text);
      if (!valid.ok()) throw CLI::ValidationError(std::string("--") + spec->name, valid.message());
      values[spec->name] = text;
    };
    CLI::Option* option = nullptr;
    if (G_IS_PARAM_SPEC_BOOLEAN(spec)) {
      option = app.add_option_function<std::string>("--" + name, store, help_of(spec))->expected(0, 1);
      option->default_str("true")->type_name("[true|false]");
    } else {
      option = app.add_option_function<std::string>("--" + name, store, help_of(spec))->type_name(type_name(spec));
    }
    option->group("Properties of " + element);
  }
  return {};
}

std::string launch_text(const PropertyValues& values) {
  std::string text;
  for (const auto& [name, value] : values) text += " " + name + "=" + quoted(value);
  return text;
}

}  // namespace sightglass::video
