#include "video/launch_text.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "video/gst_setup.h"

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

}  // namespace sightglass::video
