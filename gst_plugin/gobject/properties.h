// The properties of an element as a table: a row says all that there is to say of one, and installing, setting and
// reading follow from it.
//
//   const PropertyTable<Settings>& my_properties() {
//     static const auto* const table = new PropertyTable<Settings>(1, {
//         row::number("line-width", "Line width", &Settings::line_width, 0, 200, kLive, "Width of lines in pixels"),
//         row::flag("draw", "Draw", within(&Settings::look, &Look::draw), kLive, "Whether to draw"),
//     });
//     return *table;
//   }
//
// Numbers of properties follow from the order of the rows. Defaults are the values of default-constructed settings.
// Strings are static. A table lives as long as the process, since threads may set properties while it ends.
#pragma once

#include <gst/gst.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gobject/argb.h"
#include "gobject/property_values.h"
#include "gpu_engine/status.h"

namespace sightglass {

// What a property shows of the settings. set() that fails changes nothing.
template <typename S, typename T>
struct Field {
  using Settings = S;
  using Value = T;
  std::function<T(const S&)> get;
  std::function<Status(S&, T)> set;
};

template <typename Object, typename First, typename... Rest>
auto& member_of(Object& object, First first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return object.*first;
  } else {
    return member_of(object.*first, rest...);
  }
}

// A member, or a member of a member: within(&PoseSettings::look, &PoseLook::style, &SkeletonStyle::line_width).
template <typename T, typename S, typename... Members>
auto within(T S::*first, Members... inner) {
  using Value = std::remove_cvref_t<decltype(member_of(std::declval<S&>(), first, inner...))>;
  return Field<S, Value>{[=](const S& settings) { return member_of(settings, first, inner...); },
                         [=](S& settings, Value value) {
                           member_of(settings, first, inner...) = std::move(value);
                           return Status();
                         }};
}

// Rows take members and fields.
template <typename T, typename S>
Field<S, T> field_of(T S::*member) {
  return within(member);
}
template <typename S, typename T>
Field<S, T> field_of(Field<S, T> field) {
  return field;
}
template <typename F>
using FieldOf = decltype(field_of(std::declval<F>()));
template <typename F>
using ValueOf = typename FieldOf<F>::Value;

// A field that is shown as `show` says of it, and set to what `read` makes of what is shown.
template <typename S, typename T, typename Show, typename Read>
auto shown_as(const Field<S, T>& field, Show show, Read read) {
  using Shown = std::invoke_result_t<Show, T>;
  return Field<S, Shown>{
      [field, show](const S& settings) { return show(field.get(settings)); },
      [field, read](S& settings, Shown shown) { return field.set(settings, read(std::move(shown))); }};
}

// An optional field, which reads as `value` until it is set.
template <typename F>
auto unset_as(F field, typename ValueOf<F>::value_type value) {
  using T = typename ValueOf<F>::value_type;
  return shown_as(
      field_of(field), [value](const std::optional<T>& set) { return set.value_or(value); },
      [](T set) { return std::optional<T>(set); });
}

template <typename Settings>
struct Property {
  std::function<GParamSpec*(const Settings& defaults)> spec;
  std::function<Status(Settings&, const GValue&)> set;
  std::function<void(const Settings&, GValue*)> get;
};

// Rows of a table. Each takes the property's name, the name for people, the member or field, what values there are,
// when they take effect, and the description for gst-inspect-1.0 and the documentation.
namespace row {

template <typename S, typename T, typename Spec>
Property<S> make(const Field<S, T>& field, Spec spec) {
  return {[field, spec](const S& defaults) { return spec(field.get(defaults)); },
          [field](S& settings, const GValue& value) { return field.set(settings, ValueType<T>::get(&value)); },
          [field](const S& settings, GValue* value) { ValueType<T>::set(value, field.get(settings)); }};
}

template <typename F>
auto flag(const char* name, const char* nick, F field, Effect effect, const char* blurb) {
  const PropertyHead head{name, nick, effect, blurb};
  return make(field_of(field), [head](bool value) {
    return g_param_spec_boolean(head.name, head.nick, head.blurb, value ? TRUE : FALSE, head.flags());
  });
}

// Of std::optional<std::string>.
template <typename F>
auto text(const char* name, const char* nick, F field, Effect effect, const char* blurb) {
  const PropertyHead head{name, nick, effect, blurb};
  return make(field_of(field), [head](const std::optional<std::string>& value) {
    return g_param_spec_string(head.name, head.nick, head.blurb, value ? value->c_str() : nullptr, head.flags(true));
  });
}

// `least` and `most` are values as well.
template <typename F>
auto number(const char* name, const char* nick, F field, ValueOf<F> least, ValueOf<F> most, Effect effect,
            const char* blurb) {
  const PropertyHead head{name, nick, effect, blurb};
  return make(field_of(field), [head, least, most](ValueOf<F> value) {
    return ValueType<ValueOf<F>>::spec(head.name, head.nick, head.blurb, least, most, value, head.flags());
  });
}

// Of R G B A in [0,1]; the property is 0xAARRGGBB.
template <typename F>
auto color(const char* name, const char* nick, F field, Effect effect, const char* blurb) {
  return number(name, nick, shown_as(field_of(field), pack_argb, unpack_argb), 0, UINT32_MAX, effect, blurb);
}

// One of the words of an enumeration that GObject knows.
template <typename F>
auto choice(const char* name, const char* nick, F field, GType type, Effect effect, const char* blurb) {
  using Type = EnumType<ValueOf<F>>;
  const PropertyHead head{name, nick, effect, blurb};
  return make(shown_as(field_of(field), Type::number, Type::value), [head, type](EnumNumber value) {
    return g_param_spec_enum(head.name, head.nick, head.blurb, type, value.number, head.flags());
  });
}

// The same of one that is registered as `type_name`.
template <typename F>
auto choice(const char* name, const char* nick, F field, const char* type_name,
            std::initializer_list<Word<ValueOf<F>>> words, Effect effect, const char* blurb) {
  std::vector<GEnumValue> values;
  for (const auto& word : words) {
    values.push_back({EnumType<ValueOf<F>>::number(word.value).number, word.meaning, word.nick});
  }
  return choice(name, nick, field, enum_type(type_name, values), effect, blurb);
}

}  // namespace row

// Several threads may use a table; whoever calls set() or get() holds what guards the settings.
template <typename Settings>
class PropertyTable {
 public:
  // The first row has the number `first_id`, which is not 0; `more` follows on `rows`.
  template <typename... More>
  PropertyTable(guint first_id, std::vector<Property<Settings>> rows, const More&... more)
      : first_id_(first_id), rows_(std::move(rows)) {
    (rows_.insert(rows_.end(), more.begin(), more.end()), ...);
  }

  // In a class's init.
  void install(GObjectClass* object_class) const {
    const Settings defaults;
    guint id = first_id_;
    for (const Property<Settings>& property : rows_) {
      g_object_class_install_property(object_class, id++, property.spec(defaults));
    }
  }

  // Fails and changes nothing where the property does not take the value, or has another table's number.
  Status set(Settings& settings, guint id, const GValue* value) const {
    const Property<Settings>* property = find(id);
    return property != nullptr ? property->set(settings, *value) : internal_error("no such property");
  }

  // False for another table's number.
  bool get(const Settings& settings, guint id, GValue* value) const {
    const Property<Settings>* property = find(id);
    if (property != nullptr) property->get(settings, value);
    return property != nullptr;
  }

 private:
  const Property<Settings>* find(guint id) const {
    const size_t index = id - first_id_;  // of numbers before the first, beyond every table
    return index < rows_.size() ? &rows_[index] : nullptr;
  }

  guint first_id_;
  std::vector<Property<Settings>> rows_;
};

}  // namespace sightglass
