// What `sightglass doctor` makes of a report: advice, problems, a copy without private data, and its formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "doctor/doctor_report.h"
#include "video/cameras.h"

namespace sightglass::doctor {

// Decides which formats of a camera arrive in GL textures without a copy.

// `dmabuf`: whether the camera exports DMABUFs; unset: unknown. `driver`: its kernel driver; empty: unknown.
CameraFormatStatus arrival_of(const video::CameraFormat& format, std::optional<bool> dmabuf, const std::string& driver,
                              const DmabufSection& importer);

// Turns measured times into settings that hold 30 frames per second.

// Milliseconds per frame at 30 frames per second, and the share that pipelines may plan for: the rest absorbs
// variations and the work of other elements.
inline constexpr double kFrameBudget = 1000.0 / 30, kPlannedShare = 0.9;

struct Settings {
  enum class Kind {
    kUnknown,        // the model was not measured on the GPU
    kEveryFrame,     // the model runs on every frame
    kInterval,       // inference-interval
    kLatest,         // mask-sync=latest with gpu-budget
    kFramesTooSlow,  // not reachable: glsegment is too slow without any model
    kModelTooSlow,   // not reachable: masks would be more than kOldestMask frames old
  };
  Kind kind = Kind::kUnknown;
  bool fp16 = false;
  int interval = 1;        // inference-interval
  int64_t gpu_budget = 0;  // nanoseconds, with kLatest
  int mask_age = 0;        // frames, with kLatest
  double model = 0;        // milliseconds with this precision
  double composite = 0;    // milliseconds per frame without the model, measured or estimated
};

// Milliseconds that glsegment takes to blur and composite a 1280x720 frame: measured, or estimated from the memory
// bandwidth of the device.
double composite_time(const MeasuredSection& measured);

Settings choose_settings(const MeasuredSection& measured);

// One sentence.
std::string advice(const MeasuredSection& measured);

// Judges a report: the things that are missing or wrong on a machine, and how to fix them.

// The driver defects that this project knows and avoids.

std::vector<Quirk> quirks_of(const DeviceInfo& device);

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

// Keeps private data out of reports.
// Words of this machine that reports must not contain. Empty: unknown.
struct PrivateWords {
  // Home directories of the user: $HOME, and the one of the user database, each also without symbolic links.
  std::vector<std::string> homes;
  // Home directories of other users, if they can log in.
  std::vector<std::string> other_homes;
  std::string user, host;
};

PrivateWords private_words();

// Replaces home directories of the user with ~, those of other users, and whatever is
// below /home, with "/home/USER", and user directories below /run with a placeholder. Replaces the user name and the
// host name, as whole words, with "USER" and "HOST". Names that are ordinary words of reports ("root", "localhost")
// stay outside of paths, because they identify no person.
std::string without_private_words(std::string text, const PrivateWords& words);

// For names of devices: replaces serial numbers, which are words of at least eight letters and digits with at least
// four digits, with "…".
std::string without_serials(const std::string& name);

// Formats a DoctorReport, with its problems and its advice.

// Neither contains the private words, nor serial numbers in the names of cameras.
std::string format_text(const DoctorReport& report, const std::vector<Problem>& problems, const PrivateWords& words);
// Scripts read the JSON: keys are only ever added.
std::string format_json(const DoctorReport& report, const std::vector<Problem>& problems, const PrivateWords& words);

}  // namespace sightglass::doctor
