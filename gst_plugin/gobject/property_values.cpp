#include "gobject/property_values.h"

#include <algorithm>

namespace sightglass {

GType enum_type(const char* name, const std::vector<GEnumValue>& words) {
  if (const GType known = g_type_from_name(name); known != 0) return known;
  // Types live as long as the process, and end their words with zeros.
  auto* const values = new GEnumValue[words.size() + 1]{};
  std::ranges::copy(words, values);
  const GType type = g_enum_register_static(name, values);
  gst_type_mark_as_plugin_api(type, static_cast<GstPluginAPIFlags>(0));
  return type;
}

std::string nick_of(GType type, gint number) {
  gpointer words = g_type_class_ref(type);
  const GEnumValue* const word = g_enum_get_value(static_cast<GEnumClass*>(words), number);
  const std::string nick = word != nullptr ? word->value_nick : std::to_string(number);
  g_type_class_unref(words);
  return nick;
}

GParamSpec* stats_spec(const char* blurb) {
  return g_param_spec_boxed("stats", "Statistics", blurb, GST_TYPE_STRUCTURE,
                            static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

}  // namespace sightglass
