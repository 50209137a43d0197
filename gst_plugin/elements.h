// The elements of the plugin sightglass.
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS
GST_ELEMENT_REGISTER_DECLARE(gldmabufexport)
GST_ELEMENT_REGISTER_DECLARE(glinfer)
GST_ELEMENT_REGISTER_DECLARE(glinferbin)
GST_ELEMENT_REGISTER_DECLARE(glpose)
GST_ELEMENT_REGISTER_DECLARE(glposebin)
GST_ELEMENT_REGISTER_DECLARE(resultsjson)
GST_ELEMENT_REGISTER_DECLARE(glsegment)
GST_ELEMENT_REGISTER_DECLARE(glsegmentbin)
GST_ELEMENT_REGISTER_DECLARE(y4mread)
GST_ELEMENT_REGISTER_DECLARE(y4mwrite)
G_END_DECLS

namespace sightglass {

// Registers them with a plugin, or in this process alone if `plugin` is null. Returns whether all could be.
inline bool register_elements(GstPlugin* plugin) {
  return GST_ELEMENT_REGISTER(glsegment, plugin) != FALSE && GST_ELEMENT_REGISTER(glsegmentbin, plugin) != FALSE &&
         GST_ELEMENT_REGISTER(glinfer, plugin) != FALSE && GST_ELEMENT_REGISTER(glinferbin, plugin) != FALSE &&
         GST_ELEMENT_REGISTER(glpose, plugin) != FALSE && GST_ELEMENT_REGISTER(glposebin, plugin) != FALSE &&
         GST_ELEMENT_REGISTER(gldmabufexport, plugin) != FALSE && GST_ELEMENT_REGISTER(resultsjson, plugin) != FALSE &&
         GST_ELEMENT_REGISTER(y4mread, plugin) != FALSE && GST_ELEMENT_REGISTER(y4mwrite, plugin) != FALSE;
}

}  // namespace sightglass
