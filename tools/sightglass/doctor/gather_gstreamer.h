// Asks GStreamer for plugins, sinks, encoders, and cameras.
#pragma once

#include <vector>

#include "doctor/doctor_report.h"

namespace sightglass::doctor {

// Initializes GStreamer.
GstSection gather_gstreamer();
// Requires that GStreamer is initialized. `nodes` and `importer` decide which formats arrive without a copy.
std::vector<CameraStatus> gather_cameras(const std::vector<DeviceFile>& nodes, const DmabufSection& importer);

}  // namespace sightglass::doctor
