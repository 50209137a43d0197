#include "video/gst_setup.h"

#include <gst/gst.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "element_names.h"

namespace sightglass::video {

namespace {

class Value {
 public:
  explicit Value(GType type) { g_value_init(&value_, type); }
  ~Value() { g_value_unset(&value_); }
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  GValue* get() { return &value_; }

 private:
  GValue value_ = G_VALUE_INIT;
};

// Characters that no shell changes.
bool is_plain(char c) { return g_ascii_isalnum(c) || std::string_view("-_=./:,%@+").find(c) != std::string_view::npos; }

std::string shell_word(const std::string& word) {
  if (word == "!" || std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string shell_line(const std::string& text) {
  // gst-launch-1.0 joins its arguments with blanks, and escapes blanks within them that are outside of quotation marks.
  std::vector<std::string> words(1);
  bool quotes = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) quotes = !quotes;
    if (text[i] == ' ' && !quotes) {
      words.emplace_back();
    } else {
      words.back() += text[i];
    }
  }
  std::string line = launch_environment() + "gst-launch-1.0 -e";
  // Standard output has only frames or results.
  if (std::find(words.begin(), words.end(), "fd=1") != words.end()) line += " -q";
  for (const std::string& word : words) {
    if (!word.empty()) line += " " + shell_word(word);
  }
  return line;
}

std::string launch_text_of(GstElement* element) {
  GstElementFactory* const factory = gst_element_get_factory(element);
  std::string text = GST_OBJECT_NAME(factory);
  const ElementPtr usual(GST_ELEMENT(gst_object_ref_sink(gst_element_factory_create(factory, nullptr))));
  guint count = 0;
  const std::unique_ptr<GParamSpec*, FreeMemory> specs(
      g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count));
  for (guint i = 0; i < count; ++i) {
    const GParamSpec* spec = specs.get()[i];
    if ((spec->flags & G_PARAM_READWRITE) != G_PARAM_READWRITE) continue;
    if (std::string_view(spec->name) == "name" || std::string_view(spec->name) == "parent") continue;
    Value value(spec->value_type), default_value(spec->value_type);
    g_object_get_property(G_OBJECT(element), spec->name, value.get());
    g_object_get_property(G_OBJECT(usual.get()), spec->name, default_value.get());
    if (gst_value_compare(value.get(), default_value.get()) == GST_VALUE_EQUAL) continue;
    const TextPtr words(gst_value_serialize(value.get()));
    if (words != nullptr) text += " " + std::string(spec->name) + "=" + words.get();
  }
  return text;
}

Result<ElementPtr> parse_launch(const std::string& text) {
  GError* error = nullptr;
  GstElement* const parsed = gst_parse_launch(text.c_str(), &error);
  ElementPtr pipeline(parsed == nullptr ? nullptr : GST_ELEMENT(gst_object_ref_sink(parsed)));
  if (error == nullptr) return pipeline;
  Status status = invalid_argument(text + ": " + error->message);
  g_error_free(error);
  return status;
}

namespace {

// Set by this process: "NAME=VALUE ", …
std::string& environment() {
  static std::string text;
  return text;
}

void set_unless_set(const char* name, const std::string& value) {
  if (std::getenv(name) != nullptr) return;
  setenv(name, value.c_str(), 1);
  environment() += std::string(name) + "=" + value + " ";
}

void choose_headless_gl() {
  guint major = 0, minor = 0, micro = 0, nano = 0;
  gst_version(&major, &minor, &micro, &nano);
  set_unless_set("GST_GL_PLATFORM", "egl");
  set_unless_set("GST_GL_API", "gles2");
  set_unless_set("GST_GL_WINDOW", minor >= 24 ? "surfaceless" : "egl-device");
}

// In a build directory, this program is tools/sightglass/sightglass, and the plugins are in gst_plugin/ and below.
void scan_build_directory() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return;
  const auto plugins = program.parent_path().parent_path().parent_path() / "gst_plugin";
  if (!std::filesystem::exists(plugins / "libgstsightglass.so", error)) return;
  gst_registry_scan_path(gst_registry_get(), plugins.c_str());
  const char* before = std::getenv("GST_PLUGIN_PATH");
  const TextPtr path(g_shell_quote((plugins.string() + (before != nullptr ? std::string(":") + before : "")).c_str()));
  environment() += std::string("GST_PLUGIN_PATH=") + path.get() + " ";
}

}  // namespace

bool has_display() { return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr; }

bool installed(const std::string& element) {
  return ObjectPtr<GstElementFactory>(gst_element_factory_find(element.c_str())) != nullptr;
}

void start_gstreamer() {
  if (gst_is_initialized()) return;
  if (!has_display()) choose_headless_gl();
  gst_init(nullptr, nullptr);
  if (!installed(elements::kSegment.element)) scan_build_directory();
}

std::string launch_environment() { return environment(); }

Status need_element(const std::string& element) {
  if (installed(element)) return {};
  const bool rendered = element == "glfiguresrc";
  return not_found("GStreamer does not find " + element + ": install the package gstreamer1.0-sightglass" +
                   (rendered ? "-tools" : "") + ", or set GST_PLUGIN_PATH to the directory of libgstsightglass" +
                   (rendered ? "test" : "") + ".so");
}

}  // namespace sightglass::video
