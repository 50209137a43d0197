#include "video/task.h"

#include <algorithm>
#include <string_view>

#include "default_models.h"
#include "model_store.h"

namespace sightglass::video {

namespace {

std::string names_to_fetch(const VideoTask& task) {
  std::string names;
  for (const KnownModel* model : models_to_fetch(task))
    names.append(names.empty() ? "" : " ").append(model->published.name);
  return names;
}

}  // namespace

std::span<const VideoTask> video_tasks() {
  static const VideoTask all[] = {
      {"segment",
       "Blur, replace, or remove the background of people or other classes",
       "glsegment",
       "glsegmentbin",
       {Task::kSegmentation},
       "figure-recurrent"},
      {"pose",
       "Find people and draw their skeletons",
       "glpose",
       "glposebin",
       {Task::kPose, Task::kSegmentation},
       "figure"},
      {"detect",
       "Find objects, faces, or hands, and draw boxes or landmarks",
       "glinfer",
       "glinferbin",
       {Task::kDetection, Task::kFace, Task::kHand},
       nullptr},
      {"classify", "Name the content of the image", "glinfer", "glinferbin", {Task::kClassification}, nullptr},
  };
  return all;
}

bool has_results(const VideoTask& task) { return std::string_view(task.name) != "segment"; }

std::vector<const KnownModel*> models_to_fetch(const VideoTask& task) {
  return with_companions(default_models(task.name).front());
}

Result<DefaultModel> default_model(const VideoTask& task, const Input& input) {
  if (task.bundled != nullptr && input.kind == Input::Kind::kFigures) return DefaultModel{"figure", "", ""};
  const ModelStore store;
  for (const char* name : default_models(task.name)) {
    if (store.resolve(name).ok()) return DefaultModel{name, "", ""};
  }
  if (task.bundled == nullptr) {
    return not_found("no model for this task is on this machine: run `sightglass models fetch " + names_to_fetch(task) +
                     "`, or use --model FILE.tflite");
  }
  return DefaultModel{task.bundled,
                      "the bundled model was trained on rendered figures only: parts of people can be missing, and "
                      "animals and objects can count as people; a model that was trained on photographs is better: "
                      "`sightglass models fetch " +
                          names_to_fetch(task) + "`",
                      "bundled model, parts of people can be missing: sightglass models fetch " + names_to_fetch(task)};
}

std::vector<std::string> installed_models(const VideoTask& task) {
  const ModelStore store;
  std::vector<std::string> names;
  for (const KnownModel& model : known_models()) {
    if (model.published.name == nullptr) continue;
    if (std::find(task.tasks.begin(), task.tasks.end(), model.task) == task.tasks.end()) continue;
    // A model that only segments is no choice for poses, apart from the bundled one, which does both.
    const bool finds_poses = model.task == Task::kPose || (is_shipped(model) && !model.previous_mask);
    if (std::string_view(task.name) == "pose" && !finds_poses) continue;
    if (store.state_of(model) == StoredState::kVerified) names.emplace_back(model.published.name);
  }
  return names;
}

}  // namespace sightglass::video
