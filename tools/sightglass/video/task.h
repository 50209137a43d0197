// The tasks of the video subcommands: their elements, models, and options.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "known_models.h"
#include "sightglass/status.h"
#include "video/element_options.h"
#include "video/gst_setup.h"
#include "video/input.h"
#include "video/video_commands.h"

namespace sightglass::video {

// The tasks of the video subcommands: their elements and their models.
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

// Subcommands that run a task, which is named after them, with the properties of its element as options:
// `sightglass serve pose --score-threshold 0.5`. Without a task, they run the first one.
// What the arguments of such a subcommand begin with.
struct TaskArguments {
  const VideoTask* task = nullptr;
  CLI::App* command = nullptr;          // which parses them
  std::vector<std::string> properties;  // NAME=VALUE
  PropertyValues values;                // of the options that are properties
};

inline Status add_element_options(TaskArguments& arguments) {
  start_gstreamer();
  return add_element_options(*arguments.command, arguments.task->element, arguments.values);
}

// Adds the tasks to `command`. `add_options` adds all other options to `arguments.command`, and `run` returns the exit
// status. Arguments derive from TaskArguments.
template <typename Arguments>
void add_task_commands(CLI::App& command, std::vector<Subcommand>& subcommands, void (*add_options)(Arguments&),
                       int (*run)(const Arguments&)) {
  command.require_subcommand(0, 1);
  using Shared = std::shared_ptr<Arguments>;
  const auto all = std::make_shared<std::vector<Shared>>();
  const auto add = [&](const VideoTask& task, CLI::App& own) {
    const auto arguments = std::make_shared<Arguments>();
    arguments->task = &task;
    arguments->command = &own;
    add_options(*arguments);
    add_property_option(own, arguments->properties);
    own.preparse_callback([arguments = arguments.get()](size_t) {
      if (const Status added = add_element_options(*arguments); !added.ok())
        throw CLI::ValidationError(added.message());
    });
    all->push_back(arguments);
  };
  for (const VideoTask& task : video_tasks()) add(task, *command.add_subcommand(task.name, task.help));
  add(video_tasks().front(), command);
  const auto run_chosen = [all, run] {
    const Shared& chosen =
        *std::find_if(all->begin(), all->end(), [](const Shared& own) { return own->command->parsed(); });
    const Shared& general = all->back();
    const bool misplaced = chosen != general && !general->command
                                                     ->get_options([](const CLI::Option* option) {
                                                       return option->count() > 0 && option->get_envname().empty();
                                                     })
                                                     .empty();
    if (!misplaced) return run(*chosen);
    const std::string name = general->command->get_name();
    return exit_status_of(
        invalid_argument(name + ": write arguments after the task: " + name + " " + chosen->task->name + " …"));
  };
  const auto prepare = [all]() -> Status {
    for (const Shared& arguments : *all) SIGHTGLASS_RETURN_IF_ERROR(add_element_options(*arguments));
    return {};
  };
  subcommands.push_back({&command, run_chosen, kFailed, prepare});
}

// Chooses the model of a job that names none. Offers to download a better one than the bundled one.

// Whether the user can be asked: standard input and standard error are the terminal, and `input` is not standard input.
bool can_ask(const Input& input);

// Sets `model` in `properties` unless it is there: default_model(). If only the bundled model is there for a camera or
// a file, and `may_ask`, first asks once per user whether to download a better one. With the bundled model, says on
// standard error what it misses, and sets `notice`, unless it is there, so that the frames say it, too.
Status choose_model(const VideoTask& task, const Input& input, bool may_ask, PropertyValues& properties);

}  // namespace sightglass::video
