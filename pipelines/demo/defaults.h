// What the demo plays, and with which model, when it is not told.
#pragma once

#include <string>

namespace sightglass::demo {

// The path of the first camera that GStreamer finds, "/dev/video0"; empty when there is none.
std::string find_camera();

// The name of a model for that input: for drawn figures the one that comes along; for anything else the one for people
// before a camera if it has been fetched, else the one that comes along.
std::string default_model(const std::string& input);

}  // namespace sightglass::demo
