// Entry point of the plugin sightglasstest: the test source, and tracers that measure pipelines. Makes no GL calls,
// because the registry scanner loads it too.
#include <gst/gst.h>

#include "figure/glfiguresrc.h"
#include "tracer/tracers.h"

static gboolean plugin_init(GstPlugin* plugin) {
  return GST_ELEMENT_REGISTER(glfiguresrc, plugin) && sightglass::register_stage_latency_tracer(plugin) &&
         sightglass::register_zero_copy_tracer(plugin);
}

#define PACKAGE "sightglass"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, sightglasstest,
                  "Rendered figures with ground truth; copy and latency tracers", plugin_init, SIGHTGLASS_VERSION,
                  "MIT/X11", SIGHTGLASS_PACKAGE_NAME, SIGHTGLASS_PACKAGE_ORIGIN)
