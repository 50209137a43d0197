#include "serve/serve_command.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "serve/request_guard.h"
#include "serve/serve.h"
#include "video/gst_setup.h"
#include "video/run_job.h"
#include "video/video_commands.h"

namespace sightglass::serve {

namespace {

struct ServeArguments {
  const video::VideoTask* task = nullptr;
  CLI::App* command = nullptr;
  std::string input, listen, token;
  video::CameraWishes wishes;
  std::vector<std::string> host_names, properties;
  video::PropertyValues values;  // of the options that are properties
};

Status add_element_options(ServeArguments& arguments) {
  video::start_gstreamer();
  return video::add_element_options(*arguments.command, arguments.task->element, arguments.values);
}

void add_options(ServeArguments& arguments) {
  CLI::App& app = *arguments.command;
  video::add_input_options(app, arguments.input, arguments.wishes);
  app.add_option("--listen", arguments.listen,
                 "ADDRESS:PORT; addresses that other machines can reach require a token (127.0.0.1:8080)");
  app.add_option(
         "--token", arguments.token,
         "Token that requests need, at least 16 letters, digits, and -._~ (none; random if --listen requires one)")
      ->envname("SIGHTGLASS_TOKEN");
  app.add_option("--host-name", arguments.host_names,
                 "Further host name of the server, such as that of a proxy; repeatable")
      ->allow_extra_args(false);
  video::add_property_option(app, arguments.properties);
  app.preparse_callback([&arguments](size_t) {
    if (const Status added = add_element_options(arguments); !added.ok()) throw CLI::ValidationError(added.message());
  });
}

Status run(const ServeArguments& arguments) {
  ServeJob job;
  job.task = arguments.task;
  job.properties = arguments.values;
  job.host_names = arguments.host_names;
  job.token = arguments.token;
  if (!arguments.listen.empty()) {
    SIGHTGLASS_ASSIGN_OR_RETURN(job.listen, parse_listen_address(arguments.listen));
  }
  if (!job.token.empty() && !is_valid_token(job.token)) {
    return invalid_argument("--token: use at least 16 letters, digits, and -._~");
  }
  if (job.token.empty() && !job.listen.loopback()) job.token = random_token();
  SIGHTGLASS_RETURN_IF_ERROR(video::add_properties(arguments.properties, job.properties));
  video::complete_properties(job.properties, std::string_view(job.task->name) != "segment");
  SIGHTGLASS_ASSIGN_OR_RETURN(job.input, video::recognize_input(arguments.input, arguments.wishes));
  if (!job.properties.contains("model")) {
    SIGHTGLASS_ASSIGN_OR_RETURN(job.properties["model"], video::default_model(*job.task, job.input));
    if (job.properties["model"] == "figure" && job.input.kind != video::Input::Kind::kFigures) {
      std::fprintf(stderr, "%s\n", video::figure_hint(*job.task).c_str());
    }
  }
  return serve(job);
}

}  // namespace

void add_serve_command(CLI::App& app, std::vector<Subcommand>& subcommands) {
  CLI::App* const command = app.add_subcommand(
      "serve",
      "Run a task with a page and a REST API on http://localhost:8080 (`serve segment` unless a task is named)");
  command->require_subcommand(0, 1);
  using Shared = std::shared_ptr<ServeArguments>;
  const auto all = std::make_shared<std::vector<Shared>>();
  const auto add = [&](const video::VideoTask& task, CLI::App* own) {
    const auto arguments = std::make_shared<ServeArguments>();
    arguments->task = &task;
    arguments->command = own;
    add_options(*arguments);
    all->push_back(arguments);
  };
  for (const video::VideoTask& task : video::video_tasks()) add(task, command->add_subcommand(task.name, task.help));
  add(video::video_tasks().front(), command);
  const auto run_chosen = [all] {
    const Shared& chosen =
        *std::find_if(all->begin(), all->end(), [](const Shared& own) { return own->command->parsed(); });
    const Shared& general = all->back();
    const bool misplaced = chosen != general && !general->command
                                                     ->get_options([](const CLI::Option* option) {
                                                       return option->count() > 0 && option->get_envname().empty();
                                                     })
                                                     .empty();
    return video::exit_status_of(
        misplaced
            ? invalid_argument(std::string("serve: write options after the task: serve ") + chosen->task->name + " --…")
            : run(*chosen));
  };
  const auto prepare = [all]() -> Status {
    for (const Shared& arguments : *all) SIGHTGLASS_RETURN_IF_ERROR(add_element_options(*arguments));
    return {};
  };
  subcommands.push_back({command, run_chosen, kFailed, prepare});
}

}  // namespace sightglass::serve
