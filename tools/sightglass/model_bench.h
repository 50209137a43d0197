// Measures models and the device that they run on: `sightglass bench`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model_run.h"
#include "step_profile.h"

namespace sightglass {

struct BenchOptions {
  std::vector<std::string> models;
  RunOptions run;      // its `model` is not looked at
  bool starts = true;  // start every model in processes of its own as well
};

// A start in a process of its own, up to the end of the first run.
struct MeasuredStart {
  StartTimes times;
  double first_run = 0;     // milliseconds
  int cached_programs = 0;  // those of the programs that came from the engine's cache
  double total() const { return times.total() + first_run; }
};

struct ModelBench {
  RunReport run;
  // The engine's cache and the driver's (those of Mesa and NVIDIA) are empty for the first, and hold what the first
  // left there for the second. The model's file and the libraries are in memory for both.
  std::optional<MeasuredStart> cold, warm;
};

struct BenchReport {
  DeviceInfo device;
  std::string display;
  StepTimer::Method method = StepTimer::Method::kFences;
  DeviceSpeed speed;
  std::vector<ModelBench> models;
  std::vector<std::string> failures;  // of models that could not be measured; the others were
};

// Draws a progress bar on stderr.
Result<BenchReport> bench_models(const BenchOptions& options);

std::string format_text(const BenchReport& report);
std::string format_json(const BenchReport& report);

}  // namespace sightglass
