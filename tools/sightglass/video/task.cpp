#include "video/task.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/progress.h"
#include "element_names.h"
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
       elements::kSegment.element,
       elements::kSegment.bin,
       {Task::kSegmentation},
       "figure-recurrent"},
      {"pose",
       "Find people and draw their skeletons",
       elements::kPose.element,
       elements::kPose.bin,
       {Task::kPose, Task::kSegmentation},
       "figure"},
      {"detect",
       "Find objects, faces, or hands, and draw boxes or landmarks",
       elements::kInfer.element,
       elements::kInfer.bin,
       {Task::kDetection, Task::kFace, Task::kHand},
       nullptr},
      {"classify",
       "Name the content of the image",
       elements::kInfer.element,
       elements::kInfer.bin,
       {Task::kClassification},
       nullptr},
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

namespace {

namespace fs = std::filesystem;

// "250 kB", "9.4 MB".
std::string size_text(int64_t bytes) {
  constexpr double kKilobyte = 1e3, kMegabyte = 1e6;
  char text[32];
  const auto number = static_cast<double>(bytes);
  if (number < kMegabyte) {
    std::snprintf(text, sizeof text, "%.0f kB", number / kKilobyte);
  } else {
    std::snprintf(text, sizeof text, "%.1f MB", number / kMegabyte);
  }
  return text;
}

// Exists once the user has answered no.
fs::path declined_file(const ModelStore& store, const VideoTask& task) {
  return fs::path(store.folder()) / (std::string("declined-") + task.name);
}

// One line from the terminal, unbuffered, as the keys are read later. Nothing if the terminal closes or is interrupted.
std::optional<std::string> answer_line() {
  constexpr size_t kLongest = 256;
  std::string line;
  for (char c = 0; line.size() < kLongest;) {
    const ssize_t count = ::read(STDIN_FILENO, &c, 1);
    if (count <= 0) return {};
    if (c == '\n') break;
    line += c;
  }
  return line;
}

// Asks, and downloads the models. Returns whether they are on this machine now.
bool fetch_if_wanted(const VideoTask& task) {
  const ModelStore store;
  std::error_code error;
  if (fs::exists(declined_file(store, task), error)) return false;
  const std::vector<const KnownModel*> models = models_to_fetch(task);
  std::string names;
  int64_t bytes = 0;
  for (const KnownModel* model : models) {
    names.append(names.empty() ? "" : " and ").append(model->published.name);
    bytes += model->published.bytes;
  }
  std::fprintf(stderr,
               "For people in real pictures, a model that was trained on photographs is better than the bundled one.\n"
               "Download %s (%s, license %s)? [Y/n] ",
               names.c_str(), size_text(bytes).c_str(), models.front()->published.license);
  const std::optional<std::string> answer = answer_line();
  if (!answer) return false;
  if (!answer->empty() && answer->front() != 'y' && answer->front() != 'Y') {
    fs::create_directories(store.folder(), error);
    std::ofstream(declined_file(store, task)) << "Delete this file to be asked again.\n";
    return false;
  }
  bool publisher_unreachable = false;
  for (const KnownModel* model : models) {
    FetchOptions options;
    options.publisher_unreachable = &publisher_unreachable;
    const Status fetched = fetch_with_progress(store, *model, options, stderr);
    if (fetched.ok()) continue;
    std::fprintf(stderr, "sightglass: %s\n", fetched.message().c_str());
    return false;
  }
  return true;
}

}  // namespace

bool can_ask(const Input& input) {
  return input.kind != Input::Kind::kPipe && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

Status choose_model(const VideoTask& task, const Input& input, bool may_ask, PropertyValues& properties) {
  if (properties.contains("model")) return {};
  SIGHTGLASS_ASSIGN_OR_RETURN(DefaultModel model, default_model(task, input));
  if (!model.hint.empty() && may_ask && can_ask(input) && fetch_if_wanted(task)) {
    SIGHTGLASS_ASSIGN_OR_RETURN(model, default_model(task, input));
  }
  properties["model"] = model.name;
  if (model.hint.empty()) return {};
  std::fprintf(stderr, "%s\n", model.hint.c_str());
  if (!properties.contains("notice")) properties["notice"] = model.notice;
  return {};
}

}  // namespace sightglass::video
