// GStreamer as the video subcommands need it.
#pragma once

#include <string>

#include "sightglass/status.h"

namespace sightglass::video {

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

}  // namespace sightglass::video
