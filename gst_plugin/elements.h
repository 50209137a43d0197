// The elements of the plugin sightglass.
#pragma once

#include <gst/gst.h>

// An element is one row.
#define SIGHTGLASS_ELEMENTS(row)                                                                               \
  row(glsegment) row(glsegmentbin) row(glinfer) row(glinferbin) row(glpose) row(glposebin) row(gldmabufexport) \
      row(resultsjson) row(y4mread) row(y4mwrite)

G_BEGIN_DECLS
#define SIGHTGLASS_ROW(name) GST_ELEMENT_REGISTER_DECLARE(name)
SIGHTGLASS_ELEMENTS(SIGHTGLASS_ROW)
#undef SIGHTGLASS_ROW
G_END_DECLS

namespace sightglass {

// Registers them with a plugin, or in this process alone if `plugin` is null. Returns whether all could be.
inline bool register_elements(GstPlugin* plugin) {
  bool all = true;
#define SIGHTGLASS_ROW(name) all = GST_ELEMENT_REGISTER(name, plugin) && all;
  SIGHTGLASS_ELEMENTS(SIGHTGLASS_ROW)
#undef SIGHTGLASS_ROW
  return all;
}

}  // namespace sightglass
