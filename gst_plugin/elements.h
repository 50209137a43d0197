// The elements of the plugin sightglass.
#pragma once

#include <gst/gst.h>

#include "element_names.h"

// Those that run no model, a row each.
#define SIGHTGLASS_OTHER_ELEMENTS(row) row(gldmabufexport) row(glframe) row(resultsjson) row(y4mread) row(y4mwrite)

#define SIGHTGLASS_DECLARE(element) GST_ELEMENT_REGISTER_DECLARE(element)
#define SIGHTGLASS_DECLARE_BOTH(constant, element, bin) SIGHTGLASS_DECLARE(element) SIGHTGLASS_DECLARE(bin)
G_BEGIN_DECLS
SIGHTGLASS_MODEL_ELEMENTS(SIGHTGLASS_DECLARE_BOTH)
SIGHTGLASS_OTHER_ELEMENTS(SIGHTGLASS_DECLARE)
G_END_DECLS
#undef SIGHTGLASS_DECLARE_BOTH
#undef SIGHTGLASS_DECLARE

namespace sightglass {

// Registers them with a plugin, or in this process alone if `plugin` is null. Returns whether all could be.
inline bool register_elements(GstPlugin* plugin) {
  bool all = true;
#define SIGHTGLASS_REGISTER(element) all = GST_ELEMENT_REGISTER(element, plugin) && all;
#define SIGHTGLASS_REGISTER_BOTH(constant, element, bin) SIGHTGLASS_REGISTER(element) SIGHTGLASS_REGISTER(bin)
  SIGHTGLASS_MODEL_ELEMENTS(SIGHTGLASS_REGISTER_BOTH)
  SIGHTGLASS_OTHER_ELEMENTS(SIGHTGLASS_REGISTER)
#undef SIGHTGLASS_REGISTER_BOTH
#undef SIGHTGLASS_REGISTER
  return all;
}

}  // namespace sightglass
