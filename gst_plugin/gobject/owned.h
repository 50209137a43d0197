// C++ objects that a GObject owns.
#pragma once

#include <gst/gst.h>

#include "gobject/guarded.h"

namespace sightglass {

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
