// Measures the device, and models on it: `sightglass bench`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/model_run.h"
#include "model/step_profile.h"

namespace sightglass {

struct BenchOptions {
  std::vector<std::string> models;
  RunOptions run;      // its `model` is ignored
  bool starts = true;  // also start every model in separate processes
};

// A start in a separate process, up to the end of the first run.
struct MeasuredStart {
  StartTimes times;
  double first_run = 0;     // milliseconds
  int cached_programs = 0;  // number of programs from the cache of the engine
  double total() const { return times.total() + first_run; }
};

struct ModelBench {
  RunReport run;
  // For the first start, the caches of the engine and of the driver (Mesa and NVIDIA) are empty. The second start uses
  // the caches that the first one has filled. In both cases, the model file and the libraries are in memory.
  std::optional<MeasuredStart> cold, warm;
};

struct BenchReport {
  DeviceInfo device;
  std::string display;
  StepTimer::Method method = StepTimer::Method::kFences;
  DeviceSpeed speed;
  std::vector<ModelBench> models;
  std::vector<std::string> failures;  // one per model that could not be measured
};

// Draws a progress bar on stderr.
Result<BenchReport> bench_models(const BenchOptions& options);

std::string format_text(const BenchReport& report);
std::string format_json(const BenchReport& report);

}  // namespace sightglass
