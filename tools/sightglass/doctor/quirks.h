// The driver defects that this project knows and avoids.
#pragma once

#include <vector>

#include "doctor/doctor_report.h"

namespace sightglass::doctor {

std::vector<Quirk> quirks_of(const DeviceInfo& device);

}  // namespace sightglass::doctor
