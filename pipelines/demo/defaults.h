// The default input and model of the demo.
#pragma once

#include <string>

namespace sightglass::demo {

// Returns the path of the first camera that GStreamer finds, such as "/dev/video0"; empty if there is none.
std::string find_camera();

// Returns the name of a model for that input: the bundled one for rendered figures; for all other inputs the selfie
// segmenter if it has been fetched, otherwise the bundled one.
std::string default_model(const std::string& input);

}  // namespace sightglass::demo
