#include "video/task.h"

#include <algorithm>

#include "model_store.h"

namespace sightglass::video {

namespace {

constexpr const char* kBundled = "figure";

}  // namespace

std::span<const VideoTask> video_tasks() {
  static const VideoTask all[] = {
      {"segment",
       "Blur, replace, or remove the background of people or other classes",
       "glsegment",
       "glsegmentbin",
       {Task::kSegmentation},
       {"selfie-segmenter", "selfie-segmenter-landscape", "deeplabv3"},
       true},
      {"pose",
       "Find people and draw their skeletons",
       "glpose",
       "glposebin",
       {Task::kPose, Task::kSegmentation},
       {"blazepose-landmark-full", "blazepose-landmark-lite", "blazepose-landmark-heavy"},
       true},
      {"detect",
       "Find objects, faces, or hands, and draw boxes or landmarks",
       "glinfer",
       "glinferbin",
       {Task::kDetection, Task::kFace, Task::kHand},
       {"ssd-mobilenet-v1", "ssdlite-detector", "blazeface-short", "blazeface-full"},
       false},
      {"classify",
       "Name the content of the image",
       "glinfer",
       "glinferbin",
       {Task::kClassification},
       {"mobilenet-v2", "mobilenet-v1-0.25"},
       false},
  };
  return all;
}

Result<std::string> default_model(const VideoTask& task, const Input& input) {
  if (task.figure && input.kind == Input::Kind::kFigures) return std::string(kBundled);
  const ModelStore store;
  for (const char* name : task.models) {
    if (store.resolve(name).ok()) return std::string(name);
  }
  if (task.figure) return std::string(kBundled);
  return not_found(std::string("no model for this task is on this machine: run `sightglass models fetch ") +
                   task.models.front() + "`, or use --model FILE.tflite");
}

std::string figure_hint(const VideoTask& task) {
  std::string names = task.models.front();
  if (std::string_view(task.name) == "pose") names += " blazepose-detector";
  return "the bundled model was trained on rendered figures only: clothes can have holes, and raised arms and other "
         "people can be missing; for people, fetch a model that was trained on photographs: `sightglass models fetch " +
         names + "`";
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
