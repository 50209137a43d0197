// Subcommands that run a task, which is named after them, with the properties of its element as options:
// `sightglass serve pose --score-threshold 0.5`. Without a task, they run the first one.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "video/element_options.h"
#include "video/gst_setup.h"
#include "video/task.h"
#include "video/video_commands.h"

namespace sightglass::video {

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

}  // namespace sightglass::video
