#include <cstdio>
#include <string>
#include <utility>

#include "serve/request_guard.h"
#include "serve/serve.h"
#include "video/task.h"
#include "video/video_job.h"

namespace sightglass::serve {

namespace {

struct ServeArguments : video::TaskArguments {
  std::string input, listen, token;
  video::CameraWishes wishes;
  std::vector<std::string> host_names;
};

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
  if (job.token.empty() && !job.listen.loopback()) {
    job.token = random_token();
    job.random_token = true;
  }
  SIGHTGLASS_RETURN_IF_ERROR(video::add_properties(job.task->element, arguments.properties, job.properties));
  video::complete_properties(job.properties, std::string_view(job.task->name) != "segment");
  SIGHTGLASS_ASSIGN_OR_RETURN(job.input, video::recognize_input(arguments.input, arguments.wishes));
  SIGHTGLASS_RETURN_IF_ERROR(video::choose_model(*job.task, job.input, true, job.properties));
  return serve(job);
}

int run_and_report(const ServeArguments& arguments) { return video::exit_status_of(run(arguments)); }

}  // namespace

void add_serve_command(CLI::App& app, std::vector<Subcommand>& subcommands) {
  CLI::App* const command = app.add_subcommand(
      "serve",
      "Run a task with a page and a REST API on http://localhost:8080 (`serve segment` unless a task is named)");
  video::add_task_commands<ServeArguments>(*command, subcommands, add_options, run_and_report);
}

}  // namespace sightglass::serve
