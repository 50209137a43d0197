#include "element/shared_model.h"

#include <sys/stat.h>

#include <set>
#include <vector>

#include "element/loaded_model.h"
#include "gobject/log.h"
#include "gpu_engine/quoted.h"
#include "model_store.h"
#include "task_bundle.h"

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

namespace {

bool is_whole_bundle(const std::string& path) {
  return split_model_path(path).member.empty() && TaskBundle::is_bundle(path);
}

Status cannot_run(const TaskBundle& bundle, const std::string& element) {
  const std::string text =
      bundle.name() + ": cannot run this bundle with " + element + ": it has " + bundle.list_models() + "; ";
  for (const BundledTask& task : bundle.tasks()) {
    if (task.element() != nullptr) return unsupported(text + "use " + task.element());
  }
  const auto models = bundle.models();
  return unsupported(text + (models.empty() ? std::string("set model to a bundle of .tflite models")
                                            : "set model to one of them, such as " +
                                                  printable(member_path(bundle.name(), models[0].name))));
}

Status cannot_choose(const TaskBundle& bundle, const std::vector<BundledTask>& tasks) {
  std::string subjects;
  for (const BundledTask& task : tasks) subjects += (subjects.empty() ? "" : " and ") + printable(task.subject);
  const auto path = [&](const std::string& member) { return printable(member_path(bundle.name(), member)); };
  std::string fix = "set model=" + path(tasks[0].landmarks);
  if (!tasks[0].detector.empty()) fix += " detector=" + path(tasks[0].detector);
  return unsupported(bundle.name() + ": cannot choose between the models for " + subjects + "; for the first one, " +
                     fix);
}

// Names the models that are not in `used`.
std::string unused_models(const TaskBundle& bundle, const std::set<std::string>& used) {
  std::string unused;
  for (const TaskBundle::Member& model : bundle.models()) {
    if (!used.contains(model.name)) unused += (unused.empty() ? "" : ", ") + printable(model.name);
  }
  return unused.empty() ? "" : bundle.name() + ": models in the bundle that do not run: " + unused;
}

}  // namespace

Result<TaskModels> task_models(const std::string& path, const std::string& element) {
  if (!is_whole_bundle(path)) return TaskModels{path, "", "", ""};
  SIGHTGLASS_ASSIGN_OR_RETURN(const TaskBundle bundle, TaskBundle::open(path));
  std::vector<BundledTask> tasks;
  for (const BundledTask& task : bundle.tasks()) {
    if (task.element() != nullptr && element == task.element()) tasks.push_back(task);
  }
  if (tasks.size() > 1) return cannot_choose(bundle, tasks);
  if (tasks.empty()) {
    const auto models = bundle.models();
    if (models.size() != 1) return cannot_run(bundle, element);
    return TaskModels{member_path(path, models[0].name), "", "", ""};
  }
  const BundledTask& task = tasks[0];
  GST_INFO_OBJECT(log_object(), "%s: landmarks %s, detector %s, blendshapes %s", path.c_str(), task.landmarks.c_str(),
                  task.detector.empty() ? "(none)" : task.detector.c_str(),
                  task.blendshapes.empty() ? "(none)" : task.blendshapes.c_str());
  const auto of = [&](const std::string& member) { return member.empty() ? "" : member_path(path, member); };
  return TaskModels{of(task.landmarks), of(task.detector), of(task.blendshapes),
                    unused_models(bundle, {task.landmarks, task.detector, task.blendshapes})};
}

Result<std::string> task_detector(const std::string& path) {
  if (!is_whole_bundle(path)) return path;
  SIGHTGLASS_ASSIGN_OR_RETURN(const TaskBundle bundle, TaskBundle::open(path));
  std::set<std::string> detectors;
  for (const BundledTask& task : bundle.tasks()) detectors.insert(task.detector);
  detectors.erase("");
  if (detectors.size() == 1) return member_path(path, *detectors.begin());
  return path;  // loading it names its models
}

Result<std::shared_ptr<const Plan>> GlTarget::plan(SharedModel& model, PlanOptions options) const {
  options.log = engine_log();
  const bool measures = tuning == TuningMode::kOn;
  std::shared_ptr<const Tuning> found = measures ? model.measured(device.limits, options, cache_folder) : nullptr;
  if (found == nullptr) {
    std::string note;
    const TuningFolders folders{cache_folder, installed_folder("tuning")};
    SIGHTGLASS_ASSIGN_OR_RETURN(found,
                                prepare_tuning(group, model.model(), device, options, tuning, folders, {}, &note));
    if (!note.empty()) GST_WARNING_OBJECT(log_object(), "%s", note.c_str());
    if (measures) model.remember(device.limits, options, cache_folder, found);
  }
  options.tuning = std::move(found);
  return model.plan(device.limits, std::move(options));
}

}  // namespace sightglass
