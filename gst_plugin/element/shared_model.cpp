#include "element/shared_model.h"

#include <sys/stat.h>

#include "gobject/log.h"
#include "stored_model.h"

#define GST_CAT_DEFAULT sightglass::base_log()

namespace sightglass {

namespace {

// Identifies a file without reading it.
struct FileIdentity {
  uint64_t device = 0, inode = 0;
  int64_t size = 0, seconds = 0, nanoseconds = 0;
  bool operator==(const FileIdentity&) const = default;
};

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

struct ModelEntry {
  FileIdentity file;
  std::string member;  // in a bundle
  ModelOptions options;
  std::weak_ptr<SharedModel> model;
};

struct LoadedModels {
  std::mutex mutex;
  std::vector<ModelEntry> models;
};

// Never destroyed: elements may outlive static objects.
LoadedModels& loaded_models() {
  static LoadedModels& instance = *new LoadedModels;
  return instance;
}

}  // namespace

Result<std::shared_ptr<SharedModel>> SharedModel::load(const std::string& path, const ModelOptions& options) {
  const ModelPath at = split_model_path(path);
  const std::optional<FileIdentity> file = identity_of(at.file);
  // Concurrent loads of one file wait here and share the result of the first.
  const std::lock_guard lock(loaded_models().mutex);
  std::vector<ModelEntry>& models = loaded_models().models;
  std::erase_if(models, [](const ModelEntry& entry) { return entry.model.expired(); });
  if (file) {
    for (const ModelEntry& entry : models) {
      if (!(entry.file == *file && entry.member == at.member && entry.options == options)) continue;
      if (std::shared_ptr<SharedModel> model = entry.model.lock()) {
        GST_DEBUG_OBJECT(log_object(), "sharing %s, which is already loaded", path.c_str());
        return model;
      }
    }
  }
  ModelOptions logged = options;
  logged.log = engine_log();
  SIGHTGLASS_ASSIGN_OR_RETURN(StoredModel loaded, load_stored_model(path, logged));
  auto model = std::make_shared<SharedModel>(std::move(loaded.model), loaded.known);
  if (file) models.push_back({*file, at.member, options, model});
  return model;
}

Result<std::shared_ptr<const Plan>> SharedModel::plan(const DeviceLimits& limits, PlanOptions options) {
  if (options.tuning && options.tuning->empty()) options.tuning.reset();
  const std::lock_guard lock(mutex_);
  std::erase_if(plans_, [](const Planned& planned) { return planned.plan.expired(); });
  for (const Planned& planned : plans_) {
    const std::shared_ptr<const Tuning>& tuning = planned.options.tuning;
    if (tuning && options.tuning && *tuning == *options.tuning) options.tuning = tuning;
    if (!(planned.limits == limits && planned.options == options)) continue;
    if (std::shared_ptr<const Plan> plan = planned.plan.lock()) {
      GST_DEBUG_OBJECT(log_object(), "%s: sharing the plan of another element", model_->name().c_str());
      return plan;
    }
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, Plan::build(model_, limits, options));
  plans_.push_back({limits, std::move(options), plan});
  return plan;
}

std::shared_ptr<const Tuning> SharedModel::measured(const DeviceLimits& limits, const PlanOptions& options,
                                                    const std::string& cache_folder) {
  const std::lock_guard lock(mutex_);
  for (const Measured& known : measured_) {
    if (known.limits == limits && known.options == options && known.cache_folder == cache_folder) return known.tuning;
  }
  return nullptr;
}

void SharedModel::remember(const DeviceLimits& limits, const PlanOptions& options, const std::string& cache_folder,
                           std::shared_ptr<const Tuning> tuning) {
  const std::lock_guard lock(mutex_);
  measured_.push_back({limits, options, cache_folder, std::move(tuning)});
}

}  // namespace sightglass
