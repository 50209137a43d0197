// Formats a DoctorReport, with its problems and its advice.
#pragma once

#include <string>
#include <vector>

#include "doctor/doctor_report.h"
#include "doctor/privacy.h"
#include "doctor/problems.h"

namespace sightglass::doctor {

// Neither contains the private words, nor serial numbers in the names of cameras.
std::string format_text(const DoctorReport& report, const std::vector<Problem>& problems, const PrivateWords& words);
// Scripts read the JSON: keys are only ever added.
std::string format_json(const DoctorReport& report, const std::vector<Problem>& problems, const PrivateWords& words);

}  // namespace sightglass::doctor
