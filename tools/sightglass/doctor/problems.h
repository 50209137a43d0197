// Judges a report: the things that are missing or wrong on a machine, and how to fix them.
#pragma once

#include <string>
#include <vector>

#include "doctor/doctor_report.h"

namespace sightglass::doctor {

enum class Severity {
  kError,    // something that pipelines need is missing: exit status 1
  kWarning,  // pipelines run, but slower, or without a feature
};

struct Problem {
  Severity severity;
  std::string text, remedy;
};

// Errors first.
std::vector<Problem> find_problems(const DoctorReport& report);

bool has_error(const std::vector<Problem>& problems);

}  // namespace sightglass::doctor
