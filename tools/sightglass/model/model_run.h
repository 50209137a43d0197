// Runs a model on the GPU and measures it: `sightglass run`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/model_inputs.h"
#include "model/step_profile.h"
#include "sightglass/device.h"
#include "sightglass/interop/egl_context.h"
#include "sightglass/plan.h"
#include "sightglass/status.h"
#include "sightglass/tensor.h"
#include "sightglass/tuner.h"

namespace sightglass {

struct RunOptions {
  std::string model;  // a path, or the name of a stored model
  InputOptions input;
  int runs = 20;  // after the first one, which is measured separately
  Precision precision = Precision::kFp32;
  bool exact = true;  // see PlanOptions
  TuningMode tuning = TuningMode::kCached;
  Fallback fallback = Fallback::kError;
  ModelOptions model_options;
  ResourceLimits resources;
  bool minimum_limits = false;  // plan for the minimums that OpenGL ES 3.1 guarantees
  interop::GlFlavour flavour = interop::GlFlavour::kEs31;
  std::string output_prefix;                // empty: outputs are not written
  std::string cache_folder;                 // empty: nothing is stored for the next start
  bool profile = false;                     // also time every step
  std::optional<DeviceSpeed> device_speed;  // for comparison in profiles; measured if unset
  std::function<void(int, int)> progress;   // called with the number of completed runs and of all runs; may be empty
  std::function<void(int, int)> tuning_progress;  // TunerOptions::progress
};

// Wall-clock milliseconds.
struct StartTimes {
  double context = 0, import = 0, tuning = 0, plan = 0, session = 0;
  double total() const { return context + import + tuning + plan + session; }
};

struct RunTimes {
  double first = 0;                                  // run() and waiting for the GPU, the first time
  double median = 0, minimum = 0, p95 = 0;           // the same, for later runs
  double transfer_median = 0, transfer_minimum = 0;  // upload of all inputs, run, wait, readback of all outputs
};

struct RunOutput {
  TensorInfo info;
  std::string file;  // empty: not written
  double minimum = 0, maximum = 0;
};

struct RunReport {
  RunOptions options;
  DeviceInfo device;
  std::string display;
  std::vector<TensorInfo> inputs;
  std::vector<std::string> input_sources;
  std::vector<RunOutput> outputs;
  StartTimes start;
  std::string cache_note;   // why the cache directory is not used; empty if it is
  std::string tuning_note;  // the defect of the tuning file, if any
  RunTimes times;
  int dispatches = 0, barriers = 0, programs = 0;
  int64_t gl_calls = 0;     // in the last run
  int cached_programs = 0;  // number of programs from the cache
  MemoryReport memory;
  FallbackReport fallback;
  int64_t multiply_adds = 0;  // per run, on the GPU
  int64_t file_bytes = 0;
  std::optional<StepProfile> profile;

  double gl_calls_per_dispatch() const { return dispatches > 0 ? static_cast<double>(gl_calls) / dispatches : 0; }
};

// If a prefix is given, writes `output_prefix`.outK.raw as tightly packed little-endian tensors.
Result<RunReport> run_model(const RunOptions& options);

std::string format_text(const RunReport& report);
std::string format_json(const RunReport& report);
nlohmann::ordered_json run_json(const RunReport& report);

}  // namespace sightglass
