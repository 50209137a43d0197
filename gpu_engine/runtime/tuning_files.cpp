// Tuning results in a directory, one file per device.
#include <algorithm>
#include <cctype>
#include <cstdio>

#include "gpu_engine/device_family.h"
#include "gpu_engine/exceptions.h"
#include "gpu_engine/input_file.h"
#include "gpu_engine/output_file.h"
#include "gpu_engine/quoted.h"
#include "shader/fnv_hash.h"
#include "sightglass/cache_folder.h"
#include "sightglass/tuner.h"

namespace sightglass {

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
