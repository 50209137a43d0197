// The tasks of the video subcommands: their elements and their models.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "known_models.h"
#include "sightglass/status.h"
#include "video/input.h"

namespace sightglass::video {

struct VideoTask {
  const char* name;  // of the subcommand
  const char* help;
  const char* element;      // with the properties that are the options
  const char* bin;          // the element with upload and download
  std::vector<Task> tasks;  // of known models that a key chooses from
  const char* bundled;      // the bundled model for people in real pictures; null if none does the task
};
std::span<const VideoTask> video_tasks();
// Whether the element outputs results as data. Masks are images.
bool has_results(const VideoTask& task);

struct DefaultModel {
  std::string name;
  // If it is `task.bundled`, for lack of a better one:
  std::string hint;    // what it misses and which model to fetch instead
  std::string notice;  // the same in a few words, for the frames
};
// For rendered figures, the bundled model `figure` if it can do the task. For other input, the first one of
// default_models() that is on this machine. If none is, `task.bundled`, with a hint, or an error that says which one to
// fetch.
Result<DefaultModel> default_model(const VideoTask& task, const Input& input);
// The models to fetch for the task, if only `task.bundled` is on this machine.
std::vector<const KnownModel*> models_to_fetch(const VideoTask& task);

// Names of known models for the task that are on this machine.
std::vector<std::string> installed_models(const VideoTask& task);

}  // namespace sightglass::video
