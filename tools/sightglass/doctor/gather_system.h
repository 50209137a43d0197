// Reads the parts of a report that need neither GL nor GStreamer.
#pragma once

#include <vector>

#include "doctor/doctor_report.h"

namespace sightglass::doctor {

// Call it before anything changes the environment.
SystemSection gather_system();
std::vector<DeviceFile> gather_render_nodes();
std::vector<DeviceFile> gather_video_nodes();
// Creates the directory if it does not exist.
CacheSection gather_cache();

}  // namespace sightglass::doctor
