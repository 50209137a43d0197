// The elements of the plugin sightglass.
#pragma once

#include <gst/gst.h>

#include "dmabuf_export/gldmabufexport.h"
#include "infer/glinfer.h"
#include "infer/glinferbin.h"
#include "pose/glpose.h"
#include "pose/glposebin.h"
#include "results/resultsjson.h"
#include "segment/glsegment.h"
#include "segment/glsegmentbin.h"
#include "y4m/y4mread.h"
#include "y4m/y4mwrite.h"

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
