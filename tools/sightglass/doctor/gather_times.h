// Measures the device, a model, and glsegment.
#pragma once

#include <string>

#include "doctor/doctor_report.h"

namespace sightglass::doctor {

// `gl`: the context that works, or none. `plugin`: whether GStreamer finds glsegment; it must be initialized. Draws a
// progress bar on stderr. Takes seconds, most of them for compiling if the cache directory is empty.
MeasuredSection gather_times(const std::string& model, const GlSection& gl, bool plugin);

}  // namespace sightglass::doctor
