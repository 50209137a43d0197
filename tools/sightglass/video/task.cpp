#include "video/task.h"

#include <algorithm>
#include <string_view>

#include "model_store.h"

namespace sightglass::video {

namespace {

std::string names_to_fetch(const VideoTask& task) {
  std::string names = task.models.front();
  if (std::string_view(task.name) == "pose") names += " blazepose-detector";
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
       {"selfie-segmenter", "selfie-segmenter-landscape", "deeplabv3"},
       "figure-recurrent"},
      {"pose",
       "Find people and draw their skeletons",
       "glpose",
       "glposebin",
       {Task::kPose, Task::kSegmentation},
       {"blazepose-landmark-full", "blazepose-landmark-lite", "blazepose-landmark-heavy"},
       "figure"},
      {"detect",
       "Find objects, faces, or hands, and draw boxes or landmarks",
       "glinfer",
       "glinferbin",
       {Task::kDetection, Task::kFace, Task::kHand},
       {"ssd-mobilenet-v1", "ssdlite-detector", "blazeface-short", "blazeface-full"},
       nullptr},
      {"classify",
       "Name the content of the image",
       "glinfer",
       "glinferbin",
       {Task::kClassification},
       {"mobilenet-v2", "mobilenet-v1-0.25"},
       nullptr},
  };
  return all;
}

bool has_results(const VideoTask& task) { return std::string_view(task.name) != "segment"; }

Result<DefaultModel> default_model(const VideoTask& task, const Input& input) {
  if (task.bundled != nullptr && input.kind == Input::Kind::kFigures) return DefaultModel{"figure", ""};
  const ModelStore store;
  for (const char* name : task.models) {
    if (store.resolve(name).ok()) return DefaultModel{name, ""};
  }
  if (task.bundled == nullptr) {
    return not_found("no model for this task is on this machine: run `sightglass models fetch " + names_to_fetch(task) +
                     "`, or use --model FILE.tflite");
  }
  return DefaultModel{task.bundled,
                      "the bundled model was trained on rendered figures only: parts of people can be missing, and "
                      "animals and objects can count as people; a model that was trained on photographs is better: "
                      "`sightglass models fetch " +
                          names_to_fetch(task) + "`"};
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
