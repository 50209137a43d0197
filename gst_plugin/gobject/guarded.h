// What a GObject class needs: functions that C calls and that may not throw, C++ objects that it owns, and its author.
#pragma once

#include <gst/base/base.h>
#include <gst/gl/gl.h>
#include <gst/gst.h>

#include <type_traits>

#include "gobject/log.h"

namespace sightglass {

// Functions that C calls: virtual methods, pad functions, probes, hooks, metadata. What they throw, std::bad_alloc
// above all, ends here; C code cannot pass it on, and the application would end.

// In a handler of any exception: an error message of the element that `object` is or belongs to, "NAME: cannot ACTION:
// out of memory", or a line of the log where it belongs to none.
void report_exception(GObject* object, const char* action) noexcept;
void log_exception(const char* action) noexcept;

namespace guarded_detail {

// What a function gives that could not do its work.
template <typename R>
R failure() {
  if constexpr (std::is_same_v<R, GstFlowReturn>) {
    return GST_FLOW_ERROR;
  } else if constexpr (std::is_same_v<R, GstStateChangeReturn>) {
    return GST_STATE_CHANGE_FAILURE;
  } else if constexpr (std::is_same_v<R, GstPadProbeReturn>) {
    return GST_PAD_PROBE_OK;
  } else if constexpr (!std::is_void_v<R>) {
    return R{};  // FALSE, null
  }
}

template <typename T, typename... Types>
constexpr bool kIsOneOf = (std::is_same_v<T, Types> || ...);
// What a first parameter may be that is an instance.
template <typename T>
constexpr bool kIsObject = kIsOneOf<T, GObject, GstObject, GstElement, GstPad, GstBaseTransform, GstBaseSrc, GstPushSrc,
                                    GstAggregator, GstBin, GstBufferPool, GstGLBaseFilter, GstGLBaseSrc>;

// An instance of an element, or null: lines of the log that come from the function are about it.
template <typename First, typename... Rest>
gpointer element_of(First first, Rest...) noexcept {
  using Type = std::remove_pointer_t<First>;
  if constexpr (kIsObject<Type> && !kIsOneOf<Type, GstPad, GstBufferPool>) {
    return first;
  } else {
    return nullptr;
  }
}

template <typename First, typename... Rest>
void report(First first, Rest...) noexcept {
  constexpr const char* kAction = "continue";
  if constexpr (kIsObject<std::remove_pointer_t<First>>) {
    report_exception(reinterpret_cast<GObject*>(first), kAction);
  } else {
    log_exception(kAction);
  }
}

template <auto kFunction>
struct Guard;
template <typename R, typename... Arguments, R (*kFunction)(Arguments...)>
struct Guard<kFunction> {
  static R call(Arguments... arguments) noexcept {
    const LogScope scope(element_of(arguments...));
    try {
      return kFunction(arguments...);
    } catch (...) {
      report(arguments...);
      return failure<R>();
    }
  }
};

}  // namespace guarded_detail

// `klass->start = guarded<start>;`: the same function, which throws nothing. What it has thrown becomes an error
// message and FALSE, null, GST_FLOW_ERROR or GST_STATE_CHANGE_FAILURE.
template <auto kFunction>
inline constexpr auto guarded = &guarded_detail::Guard<kFunction>::call;

// C++ objects that a GObject owns.

namespace owned_detail {

template <typename Object, typename Member>
Object object_of(Member Object::*);

template <auto kFirst, auto... kRest>
struct Owner {
  static inline GObjectClass* parent_class = nullptr;

  static void finalize(GObject* object) {
    auto* const self = reinterpret_cast<decltype(object_of(kFirst))*>(object);
    delete (self->*kFirst);
    ((delete (self->*kRest)), ...);
    parent_class->finalize(object);
  }
};

}  // namespace owned_detail

// In a class's init: its instances delete what these members point to, in this order, when they end.
//   own<&GstGLModelFilter::frames, &GstGLModelFilter::runtime>(object_class);
template <auto... kMembers>
void own(GObjectClass* object_class) {
  using Owner = owned_detail::Owner<kMembers...>;
  Owner::parent_class = G_OBJECT_CLASS(g_type_class_peek_parent(object_class));
  object_class->finalize = guarded<Owner::finalize>;
}

}  // namespace sightglass

// Who made the elements, as gst-inspect-1.0 shows it.

#define SIGHTGLASS_AUTHOR "Sightglass contributors <maintainers@users.noreply.a-seed-6215e2ef.example>"
