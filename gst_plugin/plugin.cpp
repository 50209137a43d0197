// Entry point of the plugin sightglass: the elements for applications. Makes no GL calls, because the registry scanner
// loads it too.
#include "elements.h"

static gboolean plugin_init(GstPlugin* plugin) { return sightglass::register_elements(plugin); }

#define PACKAGE "sightglass"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, sightglass, "TensorFlow Lite models on video in GL textures",
                  plugin_init, SIGHTGLASS_VERSION, "MIT/X11", SIGHTGLASS_PACKAGE_NAME, SIGHTGLASS_PACKAGE_ORIGIN)
