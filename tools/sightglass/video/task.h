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
  const char* element;              // with the properties that are the options
  const char* bin;                  // the element with upload and download
  std::vector<Task> tasks;          // of known models that a key chooses from
  std::vector<const char*> models;  // by default, the first one that is on this machine
  bool figure;                      // whether the bundled model can do the task
};
std::span<const VideoTask> video_tasks();

// The default model for an input: the bundled one for rendered figures if it can do the task, otherwise the first one
// of `task.models` that is on this machine. If none is, the bundled model, or an error that says which one to fetch.
Result<std::string> default_model(const VideoTask& task, const Input& input);
// The hint for users of the bundled model on other input than rendered figures.
std::string figure_hint(const VideoTask& task);

// Names of known models for the task that are on this machine.
std::vector<std::string> installed_models(const VideoTask& task);

}  // namespace sightglass::video
