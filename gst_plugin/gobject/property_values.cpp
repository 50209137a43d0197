#include "gobject/property_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sightglass {

// Converts colors between properties, 0xAARRGGBB, and shaders, R G B A in [0,1].

inline uint32_t pack_argb(const std::array<float, 4>& color) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(std::lround(color[i] * 255)); };
  return byte(3) << 24 | byte(0) << 16 | byte(1) << 8 | byte(2);
}

inline std::array<float, 4> unpack_argb(uint32_t argb) {
  const auto channel = [&](int shift) { return static_cast<float>(argb >> shift & 0xFF) / 255.0F; };
  return {channel(16), channel(8), channel(0), channel(24)};
}

namespace {

// Reads and writes a field of type T as it is; subclasses describe it.
template <typename T>
class PlainValue : public PropertyValue {
 protected:
  static T& of(void* field) { return *static_cast<T*>(field); }
  static const T& of(const void* field) { return *static_cast<const T*>(field); }
};

class FlagValue final : public PlainValue<bool> {
  GParamSpec* spec(const PropertyHead& head, const void* field) const override {
    return g_param_spec_boolean(head.name, head.nick, head.blurb, of(field) ? TRUE : FALSE, head.flags());
  }
  void read(const void* field, GValue* value) const override { g_value_set_boolean(value, of(field) ? TRUE : FALSE); }
  Status write(void* field, const GValue& value) const override {
    of(field) = g_value_get_boolean(&value) != FALSE;
    return {};
  }
};

class TextValue final : public PlainValue<std::optional<std::string>> {
  static const gchar* text(const void* field) { return of(field) ? of(field)->c_str() : nullptr; }

  GParamSpec* spec(const PropertyHead& head, const void* field) const override {
    return g_param_spec_string(head.name, head.nick, head.blurb, text(field), head.flags(true));
  }
  void read(const void* field, GValue* value) const override { g_value_set_string(value, text(field)); }
  Status write(void* field, const GValue& value) const override {
    const gchar* const text = g_value_get_string(&value);
    of(field) = text != nullptr ? std::optional<std::string>(text) : std::nullopt;
    return {};
  }
};

class ColorValue final : public PlainValue<std::array<float, 4>> {
  GParamSpec* spec(const PropertyHead& head, const void* field) const override {
    return g_param_spec_uint(head.name, head.nick, head.blurb, 0, G_MAXUINT32, pack_argb(of(field)), head.flags());
  }
  void read(const void* field, GValue* value) const override { g_value_set_uint(value, pack_argb(of(field))); }
  Status write(void* field, const GValue& value) const override {
    of(field) = unpack_argb(g_value_get_uint(&value));
    return {};
  }
};

// GObject's functions for a number type.
template <typename T>
struct NumberFunctions {
  GParamSpec* (*spec)(const gchar* name, const gchar* nick, const gchar* blurb, T least, T most, T value,
                      GParamFlags flags);
  T (*get)(const GValue* value);
  void (*set)(GValue* value, T number);
};

constexpr NumberFunctions<gint> kIntFunctions{g_param_spec_int, g_value_get_int, g_value_set_int};
constexpr NumberFunctions<gfloat> kFloatFunctions{g_param_spec_float, g_value_get_float, g_value_set_float};
constexpr NumberFunctions<gdouble> kDoubleFunctions{g_param_spec_double, g_value_get_double, g_value_set_double};

template <typename T>
class NumberValue final : public PlainValue<T> {
 public:
  NumberValue(const NumberFunctions<T>& functions, T least, T most)
      : functions_(functions), least_(least), most_(most) {}

 private:
  GParamSpec* spec(const PropertyHead& head, const void* field) const override {
    return functions_.spec(head.name, head.nick, head.blurb, least_, most_, this->of(field), head.flags());
  }
  void read(const void* field, GValue* value) const override { functions_.set(value, this->of(field)); }
  Status write(void* field, const GValue& value) const override {
    this->of(field) = functions_.get(&value);
    return {};
  }

  NumberFunctions<T> functions_;
  T least_, most_;
};

template <typename T>
class OptionalNumberValue final : public PlainValue<std::optional<T>> {
 public:
  OptionalNumberValue(const NumberFunctions<T>& functions, T least, T most, T unset)
      : functions_(functions), least_(least), most_(most), unset_(unset) {}

 private:
  GParamSpec* spec(const PropertyHead& head, const void* field) const override {
    return functions_.spec(head.name, head.nick, head.blurb, least_, most_, this->of(field).value_or(unset_),
                           head.flags());
  }
  void read(const void* field, GValue* value) const override {
    functions_.set(value, this->of(field).value_or(unset_));
  }
  Status write(void* field, const GValue& value) const override {
    this->of(field) = functions_.get(&value);
    return {};
  }

  NumberFunctions<T> functions_;
  T least_, most_, unset_;
};

class EnumValue final : public PropertyValue {
 public:
  EnumValue(GType type, EnumField field) : type_(type), field_(field) {}

 private:
  GParamSpec* spec(const PropertyHead& head, const void* field) const override {
    return g_param_spec_enum(head.name, head.nick, head.blurb, type_, field_.number(field), head.flags());
  }
  void read(const void* field, GValue* value) const override { g_value_set_enum(value, field_.number(field)); }
  Status write(void* field, const GValue& value) const override {
    field_.assign(field, g_value_get_enum(&value));
    return {};
  }

  GType type_;
  EnumField field_;
};

}  // namespace

const PropertyValue* flag_value() { return new FlagValue; }
const PropertyValue* text_value() { return new TextValue; }
const PropertyValue* color_value() { return new ColorValue; }

const PropertyValue* number_value(gint least, gint most) { return new NumberValue<gint>(kIntFunctions, least, most); }
const PropertyValue* number_value(guint least, guint most) {
  return new NumberValue<guint>({g_param_spec_uint, g_value_get_uint, g_value_set_uint}, least, most);
}
const PropertyValue* number_value(guint64 least, guint64 most) {
  return new NumberValue<guint64>({g_param_spec_uint64, g_value_get_uint64, g_value_set_uint64}, least, most);
}
const PropertyValue* number_value(gfloat least, gfloat most) {
  return new NumberValue<gfloat>(kFloatFunctions, least, most);
}
const PropertyValue* number_value(gdouble least, gdouble most) {
  return new NumberValue<gdouble>(kDoubleFunctions, least, most);
}
const PropertyValue* optional_number_value(gint least, gint most, gint unset) {
  return new OptionalNumberValue<gint>(kIntFunctions, least, most, unset);
}
const PropertyValue* optional_number_value(gfloat least, gfloat most, gfloat unset) {
  return new OptionalNumberValue<gfloat>(kFloatFunctions, least, most, unset);
}
const PropertyValue* optional_number_value(gdouble least, gdouble most, gdouble unset) {
  return new OptionalNumberValue<gdouble>(kDoubleFunctions, least, most, unset);
}
const PropertyValue* enum_value(GType type, EnumField field) { return new EnumValue(type, field); }

GType enum_type(const char* name, const std::vector<GEnumValue>& words) {
  if (const GType known = g_type_from_name(name); known != 0) return known;
  // Types live as long as the process, and end their words with zeros.
  auto* const values = new GEnumValue[words.size() + 1]{};
  std::ranges::copy(words, values);
  const GType type = g_enum_register_static(name, values);
  // Only for documentation of plugins. Programs may use tables without GStreamer being initialized.
  if (gst_is_initialized() != FALSE) gst_type_mark_as_plugin_api(type, static_cast<GstPluginAPIFlags>(0));
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
