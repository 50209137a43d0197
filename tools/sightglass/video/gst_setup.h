// GStreamer as the video subcommands need it: its objects, its set-up, and the syntax of gst-launch-1.0.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <string>

#include "sightglass/status.h"

namespace sightglass::video {

// GStreamer as the video subcommands need it.

// Owners of GStreamer objects.
struct UnrefObject {
  void operator()(gpointer object) const { gst_object_unref(object); }
};
template <typename T>
using ObjectPtr = std::unique_ptr<T, UnrefObject>;
using ElementPtr = ObjectPtr<GstElement>;
using PadPtr = ObjectPtr<GstPad>;

// For objects that are no GstObject.
struct UnrefGObject {
  void operator()(gpointer object) const { g_object_unref(object); }
};

struct UnrefCaps {
  void operator()(GstCaps* caps) const { gst_caps_unref(caps); }
};
using CapsPtr = std::unique_ptr<GstCaps, UnrefCaps>;

struct FreeMemory {
  void operator()(gpointer memory) const { g_free(memory); }
};
using TextPtr = std::unique_ptr<gchar, FreeMemory>;

// GStreamer as the video subcommands need it.

// Initializes GStreamer on the first call. Without a display, GL comes directly from the driver (GST_GL_* variables
// that are already set take precedence). If GStreamer does not find the elements of Sightglass, loads those of the
// build directory that contains this program.
void start_gstreamer();

// The variables that start_gstreamer() has set, for other programs: "GST_GL_API=gles2 GST_PLUGIN_PATH='a path' ".
std::string launch_environment();

bool has_display();

// Whether GStreamer has an element.
bool installed(const std::string& element);

// Fails if GStreamer does not have an element of Sightglass. The error says how to install it.
Status need_element(const std::string& element);

// The syntax of gst-launch-1.0.

// In quotation marks, with escapes.
std::string quoted(const std::string& text);

// The command line for a shell that runs the pipeline.
std::string shell_line(const std::string& text);

// "v4l2src device=\"/dev/video0\"": the element's factory, and the properties that differ from their defaults.
std::string launch_text_of(GstElement* element);

// Builds a pipeline. The error quotes the text.
Result<ElementPtr> parse_launch(const std::string& text);

}  // namespace sightglass::video
