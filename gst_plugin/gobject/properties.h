// The properties of an element as a table. A row says everything about one property; installing, setting and reading
// it follow.
//
//   const PropertyTable<Settings>& my_properties() {
//     static const auto* const table = new PropertyTable<Settings>(1, {
//         row::number("line-width", "Line width", &Settings::line_width, 0, 200, kLive, "Width of lines in pixels"),
//         row::flag("draw", "Draw", within(&Settings::look, &Look::draw), kLive, "Whether to draw"),
//     });
//     return *table;
//   }
//
// Property IDs follow from the order of the rows. Defaults are the values of default-constructed settings. Strings are
// static. A table lives as long as the process, since threads may set properties while it ends.
#pragma once

#include <gst/gst.h>

#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gobject/property_values.h"
#include "sightglass/status.h"

namespace sightglass {

// What all elements do with the values of properties.

// Whether a property may become `value` in an element in `state`. One that is not live may not once the element has
// started: it was read then, and what reads back is what is in effect. `get` reads the property, if it is asked to.
Status may_set(const GParamSpec& spec, const std::function<bool(GValue*)>& get, const GValue* value, bool started,
               GstState state);

// "tuning=cached".
std::string property_text(const GParamSpec& spec, const GValue& value);

// Posts why something is not in effect as an element warning.
void post_warning(gpointer element, const Status& status);
// Posts the failure as an element error with the domain and code that match its ErrorCode. Any thread.
void post_error(gpointer element, const Status& status);

// A value of type T in settings of type S.
template <typename S, typename T>
struct Field {
  using Settings = S;
  using Value = T;
  size_t offset;  // in bytes from the start of the settings
};

// A field that a function sets, with what follows from it. A type of its own: only its rows have the code for that.
template <typename S, typename T>
struct SetField : Field<S, T> {
  Status (*set)(S&, T);
};

template <typename Object, typename First, typename... Rest>
auto& member_of(Object& object, First first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return object.*first;
  } else {
    return member_of(object.*first, rest...);
  }
}

template <typename S>
const S& default_settings() {
  static const auto* const settings = new S;
  return *settings;
}

// A member, or a member of a member: within(&PoseSettings::look, &PoseLook::style, &SkeletonStyle::line_width).
template <typename T, typename S, typename... Members>
auto within(T S::*first, Members... inner) {
  const S& settings = default_settings<S>();
  const auto& member = member_of(settings, first, inner...);
  const auto address = [](const auto& object) { return reinterpret_cast<const std::byte*>(&object); };
  return Field<S, std::remove_cvref_t<decltype(member)>>{static_cast<size_t>(address(member) - address(settings))};
}

// A member that `set` sets. `set` may fail, and changes nothing then.
template <typename T, typename S>
SetField<S, T> set_by(T S::*member, Status (*set)(S&, std::type_identity_t<T>)) {
  return {within(member), set};
}

// Rows take members and fields.
template <typename F>
auto field_of(F field) {
  if constexpr (std::is_member_object_pointer_v<F>) {
    return within(field);
  } else {
    return field;
  }
}
template <typename F>
using ValueOf = typename decltype(field_of(std::declval<F>()))::Value;

// A row of a table, of settings of any type.
struct AnyProperty {
  PropertyHead head;
  size_t offset;  // of the field in the settings
  const PropertyValue* value;
};

template <typename Settings>
struct Property : AnyProperty {};

// Rows of a table. Each takes the property name, the nick, the member or field, its values, when they take effect, and
// the description for gst-inspect-1.0 and the documentation.
namespace row {

// Sets a field by its function.
template <typename S, typename T>
class SetValue final : public PropertyValue {
 public:
  SetValue(const SetField<S, T>& field, const PropertyValue& plain) : field_(field), plain_(plain) {}

 private:
  GParamSpec* spec(const PropertyHead& head, const void* field) const override { return plain_.spec(head, field); }
  void read(const void* field, GValue* value) const override { plain_.read(field, value); }
  Status write(void* field, const GValue& value) const override {
    T plain{};
    SIGHTGLASS_RETURN_IF_ERROR(plain_.write(&plain, value));
    return field_.set(*reinterpret_cast<S*>(static_cast<std::byte*>(field) - field_.offset), std::move(plain));
  }

  SetField<S, T> field_;
  const PropertyValue& plain_;
};

template <typename S, typename T>
Property<S> make(const PropertyHead& head, const Field<S, T>& field, const PropertyValue* value) {
  return {{head, field.offset, value}};
}
template <typename S, typename T>
Property<S> make(const PropertyHead& head, const SetField<S, T>& field, const PropertyValue* value) {
  return {{head, field.offset, new SetValue<S, T>(field, *value)}};
}

template <typename F>
auto flag(const char* name, const char* nick, F field, TakesEffect when, const char* blurb) {
  static_assert(std::is_same_v<ValueOf<F>, bool>);
  return make({name, nick, when, blurb}, field_of(field), flag_value());
}

// Of std::optional<std::string>.
template <typename F>
auto text(const char* name, const char* nick, F field, TakesEffect when, const char* blurb) {
  static_assert(std::is_same_v<ValueOf<F>, std::optional<std::string>>);
  return make({name, nick, when, blurb}, field_of(field), text_value());
}

template <typename F>
auto number(const char* name, const char* nick, F field, ValueOf<F> least, ValueOf<F> most, TakesEffect when,
            const char* blurb) {
  return make({name, nick, when, blurb}, field_of(field), number_value(least, most));
}

// Of std::optional<int32_t>, std::optional<float>, or std::optional<double>, which reads as `unset` until it is set.
template <typename F>
auto optional_number(const char* name, const char* nick, F field, typename ValueOf<F>::value_type unset,
                     typename ValueOf<F>::value_type least, typename ValueOf<F>::value_type most, TakesEffect when,
                     const char* blurb) {
  return make({name, nick, when, blurb}, field_of(field), optional_number_value(least, most, unset));
}

// Of R G B A in [0,1]; the property is 0xAARRGGBB.
template <typename F>
auto color(const char* name, const char* nick, F field, TakesEffect when, const char* blurb) {
  static_assert(std::is_same_v<ValueOf<F>, std::array<float, 4>>);
  return make({name, nick, when, blurb}, field_of(field), color_value());
}

// One of the words of an enumeration that GObject knows.
template <typename F>
auto choice(const char* name, const char* nick, F field, GType type, TakesEffect when, const char* blurb) {
  return make({name, nick, when, blurb}, field_of(field), enum_value(type, kEnumField<ValueOf<F>>));
}

// The same of one that is registered as `type_name`.
template <typename F>
auto choice(const char* name, const char* nick, F field, const char* type_name,
            std::initializer_list<Word<ValueOf<F>>> words, TakesEffect when, const char* blurb) {
  std::vector<GEnumValue> values;
  for (const auto& word : words) {
    values.push_back({EnumNumbers<ValueOf<F>>::number(word.value), word.meaning, word.nick});
  }
  return choice(name, nick, field, enum_type(type_name, values), when, blurb);
}

}  // namespace row

// A table without the type of its settings.
class AnyPropertyTable {
 public:
  AnyPropertyTable(guint first_id, std::vector<AnyProperty> rows) : first_id_(first_id), rows_(std::move(rows)) {}

  void install(GObjectClass* object_class, const void* defaults) const;
  guint first_id() const { return first_id_; }
  std::vector<GParamSpec*> specs(const void* defaults) const;
  Status set(void* settings, guint id, const GValue* value) const;
  bool get(const void* settings, guint id, GValue* value) const;

 private:
  const AnyProperty* find(guint id) const;

  guint first_id_;
  std::vector<AnyProperty> rows_;
};

// Several threads may use a table. Callers of set() and get() hold the lock that guards the settings.
template <typename Settings>
class PropertyTable {
 public:
  // The first row has the ID `first_id`, which is not 0; `more` follows `rows`.
  template <typename... More>
  PropertyTable(guint first_id, std::initializer_list<Property<Settings>> rows, const More&... more)
      : table_(first_id, joined(rows, more...)) {}

  // Call it in the class_init of the element.
  void install(GObjectClass* object_class) const { table_.install(object_class, &default_settings<Settings>()); }

  // The properties for other interfaces than GObject classes. Their IDs are contiguous. The references are floating.
  guint first_id() const { return table_.first_id(); }
  std::vector<GParamSpec*> specs() const { return table_.specs(&default_settings<Settings>()); }

  // Fails and changes nothing if the property rejects the value, or if the ID is from another table.
  Status set(Settings& settings, guint id, const GValue* value) const { return table_.set(&settings, id, value); }

  // Returns false if the ID is from another table.
  bool get(const Settings& settings, guint id, GValue* value) const { return table_.get(&settings, id, value); }

 private:
  template <typename... Lists>
  static std::vector<AnyProperty> joined(const Lists&... lists) {
    std::vector<AnyProperty> rows;
    (rows.insert(rows.end(), lists.begin(), lists.end()), ...);
    return rows;
  }

  AnyPropertyTable table_;
};

// Settings of an element, which any thread sets and reads.

template <typename Settings>
class SharedSettings {
 public:
  Settings snapshot() const {
    const std::lock_guard lock(mutex_);
    return settings_;
  }

  // Sets a property of `table` in an element in `state`, which may have started. Fails and changes nothing where the
  // value cannot take effect.
  Status set(const PropertyTable<Settings>& table, guint id, const GParamSpec& spec, const GValue* value, bool started,
             GstState state) {
    const std::lock_guard lock(mutex_);
    const auto current = [&](GValue* read) { return table.get(settings_, id, read); };
    SIGHTGLASS_RETURN_IF_ERROR(may_set(spec, current, value, started, state));
    return table.set(settings_, id, value);
  }

 private:
  mutable std::mutex mutex_;
  Settings settings_;
};

}  // namespace sightglass
