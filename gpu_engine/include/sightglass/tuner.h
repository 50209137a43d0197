// Finds the fastest variants of the steps of a model on the present device. All calls need a context of the group
// current.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sightglass/device.h"
#include "sightglass/plan.h"
#include "sightglass/share_group.h"
#include "sightglass/tuning.h"

namespace sightglass {

struct TunerOptions {
  // No new set of variants starts after this time, which includes compiling. Measurements made by then count.
  std::chrono::milliseconds budget{3000};
  int passes = 5;  // the median counts
  // Minimum speedup over the default variant to be chosen; less is noise.
  double least_gain = 0.03;
  // If the shader program of a variant other than the default takes longer to compile, the next ones of the same step,
  // which are larger, are not tried.
  std::chrono::milliseconds compile_limit{2000};
  // Called before each set of variants with the number of sets that are done and of all sets, and with two equal
  // numbers at the end; may be empty.
  std::function<void(int done, int total)> progress = {};
  // Replaces the clock of the two limits, for tests; may be empty.
  std::function<std::chrono::steady_clock::time_point()> now = {};
};

struct TunerReport {
  Tuning tuning;                      // choices for the device, including steps whose default variant is the fastest
  int sets = 0;                       // measured sets of variants, including the default one
  bool complete = false;              // the budget covered all sets
  int ended = 0;                      // kinds of steps of which some variants were not tried, due to the compile limit
  double usual_ms = 0, tuned_ms = 0;  // sum over the steps that have variants
};

// Measures the steps for `plan_options`, with all inputs and outputs treated as host memory. Steps that
// plan_options.tuning already contains are not measured again. Choices change only times, never results.
Result<TunerReport> tune(const std::shared_ptr<ShareGroup>& group, const std::shared_ptr<const Model>& model,
                         const DeviceInfo& device, const PlanOptions& plan_options, const TunerOptions& options = {});

enum class TuningMode : uint8_t {
  kOff,     // the default variants of the device family
  kCached,  // choices for this device from files
  kOn,      // also measures missing choices now and writes them there
};

// Directories of results. An empty one has none.
struct TuningFolders {
  std::string own;      // measured for this user, one file per device, which kOn writes
  std::string shipped;  // measured on some device of a family, one file per family; for steps that `own` lacks
};

// Returns the value for plan_options.tuning. A file that is missing, damaged, for another device or not writable is
// harmless: `note`, if given, receives a line about it. Fails only if tune() does.
Result<std::shared_ptr<const Tuning>> prepare_tuning(const std::shared_ptr<ShareGroup>& group,
                                                     const std::shared_ptr<const Model>& model,
                                                     const DeviceInfo& device, const PlanOptions& plan_options,
                                                     TuningMode mode, const TuningFolders& folders,
                                                     const TunerOptions& options = {}, std::string* note = nullptr);

// The file of a device in TuningFolders::own: "tuning-<hash>.txt".
std::string tuning_path(const std::string& folder, const DeviceInfo& device);
// The file of the device's family in TuningFolders::shipped: "mali.txt". Its second line names the measured device.
std::string shipped_tuning_path(const std::string& folder, const DeviceInfo& device);

}  // namespace sightglass
