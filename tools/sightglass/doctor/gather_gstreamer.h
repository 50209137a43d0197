// Asks GStreamer for plugins, sinks, encoders, and cameras.
#pragma once

#include <vector>

#include "doctor/doctor_report.h"

namespace sightglass::doctor {

// Initializes GStreamer.
GstSection gather_gstreamer();
// Requires that GStreamer is initialized. `importer` decides which formats arrive without a copy.
std::vector<CameraStatus> gather_cameras(const DmabufSection& importer);

}  // namespace sightglass::doctor
