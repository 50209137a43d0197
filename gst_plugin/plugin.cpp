// Entry point of the plugin sightglass: the elements for applications. Makes no GL calls, because the registry scanner
// loads it too.
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

static gboolean plugin_init(GstPlugin* plugin) {
  return GST_ELEMENT_REGISTER(glsegment, plugin) && GST_ELEMENT_REGISTER(glsegmentbin, plugin) &&
         GST_ELEMENT_REGISTER(glinfer, plugin) && GST_ELEMENT_REGISTER(glinferbin, plugin) &&
         GST_ELEMENT_REGISTER(glpose, plugin) && GST_ELEMENT_REGISTER(glposebin, plugin) &&
         GST_ELEMENT_REGISTER(gldmabufexport, plugin) && GST_ELEMENT_REGISTER(resultsjson, plugin) &&
         GST_ELEMENT_REGISTER(y4mread, plugin) && GST_ELEMENT_REGISTER(y4mwrite, plugin);
}

#define PACKAGE "sightglass"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, sightglass, "TensorFlow Lite models on video in GL textures",
                  plugin_init, SIGHTGLASS_VERSION, "MIT/X11", SIGHTGLASS_PACKAGE_NAME, SIGHTGLASS_PACKAGE_ORIGIN)
