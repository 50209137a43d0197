// Values of properties in C++, and how GObject reads, writes and describes them.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sightglass {

// When a new value takes effect: with the next start, so that it may be set in NULL and READY alone, or with the next
// frame.
enum Effect : uint8_t { kAtStart, kLive };

// What every property has. GObject keeps the pointers: the strings are static.
struct PropertyHead {
  const char* name;
  const char* nick;
  Effect effect;
  const char* blurb;

  // Controllers set what is live, except strings.
  GParamFlags flags(bool is_string = false) const {
    int flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
    flags |= effect == kLive ? GST_PARAM_MUTABLE_PLAYING : GST_PARAM_MUTABLE_READY;
    if (effect == kLive && !is_string) flags |= GST_PARAM_CONTROLLABLE;
    return static_cast<GParamFlags>(flags);
  }
};

// The number of one of the words of a property.
struct EnumNumber {
  gint number;
};

// How GObject reads and writes a T; of numbers, also how it describes a property with a range.
template <typename T>
struct ValueType;

template <>
struct ValueType<bool> {
  static bool get(const GValue* value) { return g_value_get_boolean(value) != FALSE; }
  static void set(GValue* value, bool on) { g_value_set_boolean(value, on ? TRUE : FALSE); }
};

template <>
struct ValueType<EnumNumber> {
  static EnumNumber get(const GValue* value) { return {g_value_get_enum(value)}; }
  static void set(GValue* value, EnumNumber word) { g_value_set_enum(value, word.number); }
};

// A string reads back as it was set: NULL and "" are two things.
template <>
struct ValueType<std::optional<std::string>> {
  static std::optional<std::string> get(const GValue* value) {
    const gchar* const text = g_value_get_string(value);
    return text != nullptr ? std::optional<std::string>(text) : std::nullopt;
  }
  static void set(GValue* value, const std::optional<std::string>& text) {
    g_value_set_string(value, text ? text->c_str() : nullptr);
  }
};

template <>
struct ValueType<gint> {
  static constexpr auto get = g_value_get_int;
  static constexpr auto set = g_value_set_int;
  static constexpr auto spec = g_param_spec_int;
};

template <>
struct ValueType<guint> {
  static constexpr auto get = g_value_get_uint;
  static constexpr auto set = g_value_set_uint;
  static constexpr auto spec = g_param_spec_uint;
};

template <>
struct ValueType<guint64> {
  static constexpr auto get = g_value_get_uint64;
  static constexpr auto set = g_value_set_uint64;
  static constexpr auto spec = g_param_spec_uint64;
};

template <>
struct ValueType<gfloat> {
  static constexpr auto get = g_value_get_float;
  static constexpr auto set = g_value_set_float;
  static constexpr auto spec = g_param_spec_float;
};

template <>
struct ValueType<gdouble> {
  static constexpr auto get = g_value_get_double;
  static constexpr auto set = g_value_set_double;
  static constexpr auto spec = g_param_spec_double;
};

// A C++ enumeration has the numbers of its enumerators. Where it is optional, 0 is unset, and the others follow.
template <typename T>
struct EnumType {
  static EnumNumber number(T value) { return {static_cast<gint>(value)}; }
  static T value(EnumNumber word) { return static_cast<T>(word.number); }
};

template <typename T>
struct EnumType<std::optional<T>> {
  static EnumNumber number(const std::optional<T>& value) { return {value ? static_cast<gint>(*value) + 1 : 0}; }
  static std::optional<T> value(EnumNumber word) {
    return word.number > 0 ? std::optional<T>(static_cast<T>(word.number - 1)) : std::nullopt;
  }
};

// One of the words of a property, with what gst-inspect-1.0 says of it. The strings are static.
template <typename T>
struct Word {
  T value;
  const char* meaning;
  const char* nick;
};

// The type of that name, which is registered by the first call.
GType enum_type(const char* name, const std::vector<GEnumValue>& words);
// What such a property is set to in text: "auto".
std::string nick_of(GType type, gint number);

// The read-only property `stats`, a GstStructure, which is no setting.
GParamSpec* stats_spec(const char* blurb);

}  // namespace sightglass
