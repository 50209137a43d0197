#include "sightglass/tuner.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "gpu_engine/device_family.h"
#include "gpu_engine/files.h"
#include "gpu_engine/internals.h"
#include "gpu_engine/quoted.h"
#include "plan/plan_data.h"
#include "shader/fnv_hash.h"
#include "sightglass/cache_folder.h"
#include "sightglass/device.h"
#include "sightglass/session.h"
#include "sightglass/step_timer.h"

namespace sightglass {

namespace {

using Clock = std::chrono::steady_clock;

struct Measured {
  std::map<std::string, double> by_variant;  // nanoseconds: mean over all steps of the kind
  std::string usual;
  int steps = 0;
  bool ended = false;  // a variant took too long to compile: no others are tried
};
using Measurements = std::map<std::string, Measured>;  // by kind of step

bool is_wanted(const Step& step, const Tuning& known) {
  return !step.variant.step.empty() && !known.choice(step.variant.step);
}

// Maximum number of variants of a step.
int most_variants(const Plan& plan, const Tuning& known) {
  int most = 0;
  for (const Step& step : data_of(plan).steps) {
    if (is_wanted(step, known)) most = std::max(most, step.variant.count);
  }
  return most;
}

// Whether the plan has an unmeasured variant.
bool has_news(const Plan& plan, const Measurements& measured, const Tuning& known) {
  return std::ranges::any_of(data_of(plan).steps, [&](const Step& step) {
    if (!is_wanted(step, known)) return false;
    const auto kind = measured.find(step.variant.step);
    return kind == measured.end() || !kind->second.by_variant.contains(step.variant.name);
  });
}

// Builds the programs that no earlier set had, one by one, and returns those that took longer than the limit.
class Compiler {
 public:
  Compiler(std::shared_ptr<ShareGroup> group, const TunerOptions& options)
      : group_(std::move(group)), options_(options) {}

  Result<std::set<int>> build(const Plan& plan) {
    std::set<int> slow;
    const std::vector<ShaderKey>& keys = data_of(plan).programs;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!seen_.insert(keys[i]).second) continue;
      const ProgramKey key{keys[i]};
      const Clock::time_point begin = now();
      SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> built, group_->programs({&key, 1}));
      if (now() - begin > options_.compile_limit) slow.insert(static_cast<int>(i));
      kept_.push_back(std::move(built[0]));
    }
    return slow;
  }
  // The session has its programs.
  void release() { kept_.clear(); }
  Clock::time_point now() const { return options_.now ? options_.now() : Clock::now(); }

 private:
  const std::shared_ptr<ShareGroup> group_;
  const TunerOptions& options_;
  std::set<ShaderKey> seen_;
  std::vector<SharedProgram> kept_;
};

// Ends the trials of the kinds of steps that use these programs: `trial` makes later sets use their default variant.
// The default itself ends nothing, because smaller variants may follow it.
struct Trials {
  const Tuning& known;
  Measurements& measured;
  Tuning& trial;
};
void end_trials(const Plan& plan, const std::set<int>& slow, const Trials& trials, const Log& log) {
  const auto& [known, measured, trial] = trials;
  for (const Step& step : data_of(plan).steps) {
    if (!is_wanted(step, known) || !slow.contains(step.program)) continue;
    Measured& kind = measured.at(step.variant.step);
    if (step.variant.name == kind.usual || std::exchange(kind.ended, true)) continue;
    trial.choose(step.variant.step, kind.usual);
    log.debug([&] {
      return "tuning: " + step.variant.step + ": " + step.variant.name +
             " takes too long to compile, so larger variants are not tried";
    });
  }
}

void record(const Plan& plan, const std::vector<int64_t>& times, const Tuning& known, Measurements& measured) {
  std::map<std::string, std::pair<double, int>> sums;
  for (size_t i = 0; i < data_of(plan).steps.size(); ++i) {
    const Step& step = data_of(plan).steps[i];
    if (!is_wanted(step, known)) continue;
    auto& [sum, count] = sums[step.variant.step];
    sum += static_cast<double>(times[i]);
    ++count;
    Measured& kind = measured[step.variant.step];
    if (kind.usual.empty()) kind.usual = step.variant.name;
    kind.by_variant.emplace(step.variant.name, 0.0);
  }
  for (const Step& step : data_of(plan).steps) {
    const auto sum = sums.find(step.variant.step);
    if (sum == sums.end()) continue;
    Measured& kind = measured[step.variant.step];
    kind.by_variant[step.variant.name] = sum->second.first / sum->second.second;
    kind.steps = sum->second.second;
  }
}

void log_choice(const std::string& step, const std::string& chosen, const Measured& kind, const Log& log) {
  std::string text;
  for (const auto& [variant, time] : kind.by_variant) {
    text += (text.empty() ? "" : ", ") + variant + (variant == kind.usual ? " (usual) " : " ") +
            std::to_string(static_cast<int64_t>(time)) + " ns";
  }
  log.debug([&] { return "tuning: " + step + ": " + chosen + " chosen of " + text; });
}

void choose(const Measurements& measured, double least_gain, TunerReport& report, const Log& log) {
  for (const auto& [step, kind] : measured) {
    const double usual = kind.by_variant.at(kind.usual);
    const auto best = std::ranges::min_element(kind.by_variant, {}, [](const auto& v) { return v.second; });
    const bool gains = best->second < usual * (1 - least_gain);
    report.tuning.choose(step, gains ? best->first : kind.usual);
    if (log.wants(LogLevel::kDebug)) log_choice(step, gains ? best->first : kind.usual, kind, log);
    constexpr double kNanosecondsPerMs = 1e6;
    report.usual_ms += usual * kind.steps / kNanosecondsPerMs;
    report.tuned_ms += (gains ? best->second : usual) * kind.steps / kNanosecondsPerMs;
  }
}

}  // namespace

// Every set is a whole plan in which all steps use the variant of one index, up to the maximum index of any step. A
// plan that cannot have buffer textures has none at all, and its steps have fewer variants. So a set without new
// variants does not mean that the next one has none.
Result<TunerReport> tune(const std::shared_ptr<ShareGroup>& group, const std::shared_ptr<const Model>& model,
                         const DeviceInfo& device, const PlanOptions& plan_options, const TunerOptions& options) try {
  Compiler compiler(group, options);
  const auto end = compiler.now() + options.budget;
  TunerReport report;
  report.tuning = Tuning(device_name(device));
  const Tuning known = plan_options.tuning ? *plan_options.tuning : Tuning();
  Tuning trial = known;
  ForcedPlanOptions alike = plan_options;
  alike.inputs.clear();
  alike.outputs.clear();
  alike.log = {};  // these plans only serve measurements
  std::unique_ptr<StepTimer> timer;
  Measurements measured;
  report.complete = true;
  for (int variants = 1; alike.variant < variants; ++alike.variant) {
    alike.tuning = std::make_shared<const Tuning>(trial);
    SIGHTGLASS_ASSIGN_OR_RETURN(const auto plan, build_plan(model, device.limits, alike));
    variants = std::max(variants, most_variants(*plan, known));
    if (!has_news(*plan, measured, known)) continue;
    if (alike.variant > 0 && compiler.now() >= end) {
      report.complete = false;
      break;
    }
    if (options.progress) options.progress(alike.variant, variants);
    if (timer == nullptr) {
      SIGHTGLASS_ASSIGN_OR_RETURN(timer, StepTimer::create(group));
    }
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::set<int> slow, compiler.build(*plan));
    SIGHTGLASS_ASSIGN_OR_RETURN(const auto session, Session::create(group, plan));
    compiler.release();
    SIGHTGLASS_ASSIGN_OR_RETURN(const auto times, median_step_times(*session, *timer, options.passes));
    record(*plan, times, known, measured);
    end_trials(*plan, slow, {known, measured, trial}, plan_options.log);
    ++report.sets;
  }
  if (options.progress && report.sets > 0) options.progress(report.sets, report.sets);
  report.ended = static_cast<int>(std::ranges::count_if(measured, [](const auto& kind) { return kind.second.ended; }));
  choose(measured, options.least_gain, report, plan_options.log);
  plan_options.log.info([&] {
    return model->name() + ": tuning: " + std::to_string(report.sets) + " sets of variants measured" +
           (report.complete ? "" : ", the budget did not cover all") +
           (report.ended > 0 ? ", without the larger variants of " + std::to_string(report.ended) +
                                   " kinds of steps, which take too long to compile"
                             : "") +
           "; " + std::to_string(report.usual_ms) + " ms as usual, " + std::to_string(report.tuned_ms) + " ms tuned";
  });
  return report;
} catch (...) {
  return status_of_exception(model ? std::string_view(model->name()) : "a model", "tune it");
}

// Tuning results in a directory, one file per device.

namespace {

constexpr int64_t kLargestFile = int64_t{16} << 20;

// Without a file, empty results for `device`.
Result<Tuning> read(const std::string& path, const std::string& device) {
  const Result<std::string> text = read_text_file(path, kLargestFile);
  if (text.status().code() == ErrorCode::kNotFound) return Tuning(device);
  if (!text.ok()) return text.status().with_context(path);
  Result<Tuning> tuning = Tuning::parse(*text);
  if (!tuning.ok()) return tuning.status().with_context(path);
  return tuning;
}

Result<Tuning> read_own(const std::string& path, const std::string& device) {
  Result<Tuning> tuning = read(path, device);
  if (tuning.ok() && tuning->device() != device) {
    return invalid_argument(path + ": is for the device " + sightglass::quote(tuning->device()) + ", not for " +
                            sightglass::quote(device));
  }
  return tuning;
}

Status write(const std::string& folder, const std::string& path, const Tuning& tuning) {
  SIGHTGLASS_RETURN_IF_ERROR(make_private_folder(folder));
  SIGHTGLASS_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path, FileAccess::kOwner));
  SIGHTGLASS_RETURN_IF_ERROR(file.append(tuning.to_text()));
  return file.commit();
}

}  // namespace

std::string tuning_path(const std::string& folder, const DeviceInfo& device) {
  // The file contains the full device name: equal hashes of two devices cost only a measurement.
  const std::string text = device_name(device);
  const uint64_t hash = FnvHash().add(text.data(), text.size()).value();
  char name[40];
  std::snprintf(name, sizeof(name), "/tuning-%016llx.txt", static_cast<unsigned long long>(hash));
  return folder + name;
}

std::string shipped_tuning_path(const std::string& folder, const DeviceInfo& device) {
  std::string name = device_family(device.vendor, device.renderer).name;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return folder + "/" + name + ".txt";
}

Result<std::shared_ptr<const Tuning>> prepare_tuning(const std::shared_ptr<ShareGroup>& group,
                                                     const std::shared_ptr<const Model>& model,
                                                     const DeviceInfo& device, const PlanOptions& plan_options,
                                                     TuningMode mode, const TuningFolders& folders,
                                                     const TunerOptions& options, std::string* note) try {
  const Log& log = plan_options.log;
  if (mode == TuningMode::kOff) {
    log.debug([] { return std::string("tuning: off, the usual variants for the device run"); });
    return std::shared_ptr<const Tuning>();
  }
  const auto tell = [note](const Status& status) {
    if (note != nullptr && !status.ok()) *note = status.message();
  };
  Tuning known(device_name(device)), shipped = known;
  if (!folders.shipped.empty()) {
    const std::string file = shipped_tuning_path(folders.shipped, device);
    Result<Tuning> found = read(file, "");
    tell(found.status());
    if (found.ok()) shipped.merge(*found);
    log.debug([&] { return "tuning: " + std::to_string(shipped.size()) + " choices for its family from " + file; });
  }
  const std::string path = tuning_path(folders.own, device);
  const Status usable = check_private_folder(folders.own);
  tell(usable);
  const bool kept = !folders.own.empty() && usable.ok();
  if (kept) {
    Result<Tuning> file = read_own(path, known.device());
    tell(file.status());
    if (file.ok()) known = std::move(file).value();
  }
  log.debug([&] {
    return "tuning: " + std::to_string(known.size()) + " choices for this device are known" +
           (kept ? " from " + path : ", and none are kept");
  });
  if (mode == TuningMode::kOn) {
    PlanOptions with_known = plan_options;
    with_known.tuning = std::make_shared<const Tuning>(known);
    SIGHTGLASS_ASSIGN_OR_RETURN(const TunerReport report, tune(group, model, device, with_known, options));
    known.merge(report.tuning);
    // Incomplete results are measured again next time.
    if (report.complete && !report.tuning.empty() && kept) tell(write(folders.own, path, known));
  }
  shipped.merge(known);
  return std::make_shared<const Tuning>(std::move(shipped));
} catch (...) {
  return status_of_exception(model ? std::string_view(model->name()) : "a model", "prepare its tuning");
}

}  // namespace sightglass
