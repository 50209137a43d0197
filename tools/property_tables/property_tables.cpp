// property_tables PAGE: prints the page, with the tables between these markers regenerated from the element. GStreamer
// must find the element (GST_PLUGIN_PATH).
//   <!-- properties of ELEMENT -->
//   <!-- end of properties -->
#include <gst/gst.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

constexpr std::string_view kBegin = "<!-- properties of ", kBeginEnd = " -->", kEnd = "<!-- end of properties -->";

std::string code(const std::string& text) { return "`" + text + "`"; }

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string hexadecimal(guint value) {
  char text[11];
  std::snprintf(text, sizeof(text), "0x%08x", value);
  return text;
}

struct TypeAndDefault {
  std::string type, usual;
};

template <typename Spec>
TypeAndDefault ranged(const char* type, const Spec* spec) {
  const auto text = [](auto value) {
    if constexpr (std::is_integral_v<decltype(value)>) return std::to_string(value);
    return number(static_cast<double>(value));
  };
  return {std::string(type) + ", " + text(spec->minimum) + " to " + text(spec->maximum),
          code(text(spec->default_value))};
}

TypeAndDefault type_and_default(GParamSpec* spec) {
  if (G_IS_PARAM_SPEC_BOOLEAN(spec)) {
    return {"boolean", code(G_PARAM_SPEC_BOOLEAN(spec)->default_value != FALSE ? "true" : "false")};
  }
  if (G_IS_PARAM_SPEC_STRING(spec)) {
    const gchar* const usual = G_PARAM_SPEC_STRING(spec)->default_value;
    return {"string", code(usual != nullptr ? usual : "NULL")};
  }
  if (G_IS_PARAM_SPEC_ENUM(spec)) {
    const GParamSpecEnum* words = G_PARAM_SPEC_ENUM(spec);
    return {"enum", code(g_enum_get_value(words->enum_class, words->default_value)->value_nick)};
  }
  if (G_IS_PARAM_SPEC_UINT(spec) && std::string_view(spec->name).ends_with("color")) {
    return {"ARGB", code(hexadecimal(G_PARAM_SPEC_UINT(spec)->default_value))};
  }
  if (G_IS_PARAM_SPEC_INT(spec)) return ranged("integer", G_PARAM_SPEC_INT(spec));
  if (G_IS_PARAM_SPEC_UINT(spec)) return ranged("integer", G_PARAM_SPEC_UINT(spec));
  if (G_IS_PARAM_SPEC_UINT64(spec)) return ranged("integer", G_PARAM_SPEC_UINT64(spec));
  if (G_IS_PARAM_SPEC_FLOAT(spec)) return ranged("float", G_PARAM_SPEC_FLOAT(spec));
  if (G_IS_PARAM_SPEC_DOUBLE(spec)) return ranged("double", G_PARAM_SPEC_DOUBLE(spec));
  return {code(g_type_name(spec->value_type)), ""};
}

std::string description(GParamSpec* spec) {
  std::string text = g_param_spec_get_blurb(spec);
  if (G_IS_PARAM_SPEC_ENUM(spec)) {
    const GEnumClass* words = G_PARAM_SPEC_ENUM(spec)->enum_class;
    for (guint i = 0; i < words->n_values; ++i) {
      const GEnumValue& word = words->values[i];
      // If GStreamer has only the C name, the nick must suffice.
      const bool is_described = !std::string_view(word.value_name).starts_with("GST_");
      text += is_described || i == 0 ? "<br>" : ", ";
      text += code(word.value_nick) + (is_described ? std::string(": ") + word.value_name : "");
    }
  }
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

// Properties of the element itself or of a base class of this project.
bool is_ours(const GParamSpec* spec, GType element) {
  return spec->owner_type == element || std::string_view(g_type_name(spec->owner_type)).starts_with("GstGLModel");
}

std::vector<GParamSpec*> properties_of(GType element, GObjectClass* object_class) {
  guint count = 0;
  GParamSpec** const all = g_object_class_list_properties(object_class, &count);
  std::vector<GParamSpec*> ours;
  std::copy_if(all, all + count, std::back_inserter(ours), [&](GParamSpec* spec) { return is_ours(spec, element); });
  g_free(all);
  std::ranges::sort(ours, {}, [](const GParamSpec* spec) { return std::string_view(spec->name); });
  return ours;
}

// Returns nullopt if GStreamer does not find the element.
std::optional<std::string> table_of(const std::string& name) {
  GstElement* const element = gst_element_factory_make(name.c_str(), nullptr);
  if (element == nullptr) return std::nullopt;
  std::string table = "| property | type, range | default | live | description |\n|---|---|---|---|---|\n";
  for (GParamSpec* spec : properties_of(G_OBJECT_TYPE(element), G_OBJECT_GET_CLASS(element))) {
    auto [type, usual] = type_and_default(spec);
    std::string live = (spec->flags & GST_PARAM_MUTABLE_PLAYING) != 0 ? "yes" : "no";
    if ((spec->flags & G_PARAM_WRITABLE) == 0) {
      usual = "read-only";
      live = "–";
    }
    table += "| " + code(spec->name) + " | " + type + " | " + usual + " | " + live + " | " + description(spec) + " |\n";
  }
  gst_object_unref(element);
  return table;
}

int fail(const std::string& message) {
  std::cerr << "property_tables: " << message << "\n";
  return 1;
}

int print_page(const std::string& path) {
  std::ifstream page(path);
  if (!page) return fail(path + ": cannot read the file");
  bool in_table = false;
  for (std::string line; std::getline(page, line);) {
    if (line == kEnd) in_table = false;
    if (!in_table) std::cout << line << "\n";
    if (!line.starts_with(kBegin) || !line.ends_with(kBeginEnd)) continue;
    const std::string name = line.substr(kBegin.size(), line.size() - kBegin.size() - kBeginEnd.size());
    const auto table = table_of(name);
    if (!table) return fail(path + ": cannot find the element " + name + "; set GST_PLUGIN_PATH");
    std::cout << "\n" << *table << "\n";
    in_table = true;
  }
  return in_table ? fail(path + ": a table has no end; write " + std::string(kEnd)) : 0;
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  return argc == 2 ? print_page(argv[1]) : fail("usage: property_tables PAGE");
}
