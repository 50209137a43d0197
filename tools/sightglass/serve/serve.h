// Runs an element on an input, with a page and a REST API.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "serve/request_guard.h"
#include "sightglass/status.h"
#include "video/element_options.h"
#include "video/input.h"
#include "video/task.h"

namespace sightglass::serve {

struct ServeJob {
  const video::VideoTask* task = nullptr;
  video::Input input;
  video::PropertyValues properties;  // with the model
  ListenAddress listen;
  std::vector<std::string> host_names;  // further names of the server in requests
  std::string token;                    // empty: none is required
  bool random_token = false;            // the user does not know the token yet
};

// Serves until the input ends, an error, or Ctrl-C. Fails if this program was built without an HTTP server.
Status serve(const ServeJob& job);

// The subcommand `serve`.

void add_serve_command(CLI::App& app, std::vector<Subcommand>& subcommands);

}  // namespace sightglass::serve
