// Values of properties: how GObject describes, reads and writes what settings hold.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/status.h"

namespace sightglass {

// When a new value takes effect: at the next start, so that it can be set only in NULL and READY, or with the next
// frame.
enum TakesEffect : uint8_t { kAtStart, kLive };

// What every property has. GObject keeps the pointers: the strings are static.
struct PropertyHead {
  const char* name;
  const char* nick;
  TakesEffect when;
  const char* blurb;

  // Controllers set live properties, except strings.
  GParamFlags flags(bool is_string = false) const {
    int flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
    flags |= when == kLive ? GST_PARAM_MUTABLE_PLAYING : GST_PARAM_MUTABLE_READY;
    if (when == kLive && !is_string) flags |= GST_PARAM_CONTROLLABLE;
    return static_cast<GParamFlags>(flags);
  }
};

// Converts between a GValue and a field of settings, whose type the subclass knows. It does not depend on the type of
// the settings, which keeps code small: every row of every table shares these few classes.
class PropertyValue {
 public:
  PropertyValue() = default;
  PropertyValue(const PropertyValue&) = delete;
  PropertyValue& operator=(const PropertyValue&) = delete;
  virtual ~PropertyValue() = default;

  // The default is the value of `field`.
  virtual GParamSpec* spec(const PropertyHead& head, const void* field) const = 0;
  virtual void read(const void* field, GValue* value) const = 0;
  // On failure, `field` is unchanged.
  virtual Status write(void* field, const GValue& value) const = 0;
};

// The functions below create values, which live as long as the process: so do the tables that use them.

const PropertyValue* flag_value();   // of bool
const PropertyValue* text_value();   // of std::optional<std::string>; NULL and "" are different
const PropertyValue* color_value();  // of std::array<float, 4>, R G B A in [0,1]; the property is 0xAARRGGBB

// Numbers from `least` to `most`.
const PropertyValue* number_value(gint least, gint most);
const PropertyValue* number_value(guint least, guint most);
const PropertyValue* number_value(guint64 least, guint64 most);
const PropertyValue* number_value(gfloat least, gfloat most);
const PropertyValue* number_value(gdouble least, gdouble most);
// Of std::optional<gint>, std::optional<gfloat>, or std::optional<gdouble>, which reads as `unset` until it is set.
const PropertyValue* optional_number_value(gint least, gint most, gint unset);
const PropertyValue* optional_number_value(gfloat least, gfloat most, gfloat unset);
const PropertyValue* optional_number_value(gdouble least, gdouble most, gdouble unset);

// Of an enumeration that GObject knows as `type`: the functions convert between the field and its number there.
struct EnumField {
  gint (*number)(const void* field);
  void (*assign)(void* field, gint number);
};
const PropertyValue* enum_value(GType type, EnumField field);

// A C++ enumeration has the numbers of its enumerators. If it is optional, 0 is unset, and the others follow.
template <typename T>
struct EnumNumbers {
  static gint number(const T& value) { return static_cast<gint>(value); }
  static T value(gint number) { return static_cast<T>(number); }
};
template <typename T>
struct EnumNumbers<std::optional<T>> {
  static gint number(const std::optional<T>& value) { return value ? static_cast<gint>(*value) + 1 : 0; }
  static std::optional<T> value(gint number) {
    return number > 0 ? std::optional<T>(static_cast<T>(number - 1)) : std::nullopt;
  }
};

template <typename T>
constexpr EnumField kEnumField{
    [](const void* field) { return EnumNumbers<T>::number(*static_cast<const T*>(field)); },
    [](void* field, gint number) { *static_cast<T*>(field) = EnumNumbers<T>::value(number); }};

// One of the words of a property, with its description for gst-inspect-1.0. The strings are static.
template <typename T>
struct Word {
  T value;
  const char* meaning;
  const char* nick;
};

// Returns the type of that name. The first call registers it.
GType enum_type(const char* name, const std::vector<GEnumValue>& words);
// Returns the text that sets such a property: "auto".
std::string nick_of(GType type, gint number);

// The read-only property `stats`, a GstStructure, which is not a setting.
GParamSpec* stats_spec(const char* blurb);

}  // namespace sightglass
