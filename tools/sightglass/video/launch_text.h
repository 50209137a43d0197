// The syntax of gst-launch-1.0.
#pragma once

#include <gst/gst.h>

#include <string>

#include "sightglass/status.h"
#include "video/gst_objects.h"

namespace sightglass::video {

// In quotation marks, with escapes.
std::string quoted(const std::string& text);

// The command line for a shell that runs the pipeline.
std::string shell_line(const std::string& text);

// "v4l2src device=\"/dev/video0\"": the element's factory, and the properties that differ from their defaults.
std::string launch_text_of(GstElement* element);

// Builds a pipeline. The error quotes the text.
Result<ElementPtr> parse_launch(const std::string& text);

}  // namespace sightglass::video
