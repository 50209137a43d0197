#include "element/task_models.h"

#include <set>
#include <vector>

#include "gobject/log.h"
#include "gpu_engine/quoted.h"
#include "stored_model.h"
#include "task_bundle.h"

#define GST_CAT_DEFAULT sightglass::base_log()

namespace sightglass {

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

}  // namespace sightglass
