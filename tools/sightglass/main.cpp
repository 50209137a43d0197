// The `sightglass` command. Exit status: 0 success, 1 failure, 2 wrong usage. For `check`: 0 all models run (entirely
// on the GPU, unless a fallback was requested), 1 a model does not run, 2 wrong usage, an unreadable file, or
// unwritable standard output.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <sstream>
#include <vector>

#include "base/secrets.h"
#include "common/command_help.h"
#include "common/command_line.h"
#include "common/process.h"
#include "doctor/doctor_report.h"
#include "model/model_commands.h"
#include "serve/serve.h"
#include "standard_output.h"
#include "video/batch.h"
#include "video/cameras.h"
#include "video/stream_control.h"
#include "video/video_commands.h"

namespace {

int run(const sightglass::Subcommand& subcommand) try { return subcommand.run(); } catch (const std::bad_alloc&) {
  std::fputs("sightglass: out of memory; use a smaller model or smaller inputs, or raise the limit of the process\n",
             stderr);
  return sightglass::kFailed;
} catch (const std::exception& error) {
  std::fprintf(stderr, "sightglass: %s\n", sightglass::without_secrets(error.what()).c_str());
  return sightglass::kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  sightglass::open_standard_descriptors();
  CLI::App app("Runs TensorFlow Lite models on video and images, in OpenGL ES compute shaders.", "sightglass");
  app.set_version_flag("--version", SIGHTGLASS_VERSION);
  app.require_subcommand(1);
  std::vector<sightglass::Subcommand> subcommands;
  sightglass::video::add_video_commands(app, subcommands);
  sightglass::serve::add_serve_command(app, subcommands);
  sightglass::video::add_batch_command(app, subcommands);
  sightglass::video::add_devices_command(app, subcommands);
  sightglass::add_model_commands(app, subcommands);
  sightglass::doctor::add_doctor_command(app, subcommands);
  sightglass::add_help_commands(app, subcommands, SIGHTGLASS_VERSION);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream text;
    const bool wanted = app.exit(error, std::cout, text) == 0;  // help
    std::fputs(sightglass::without_secrets(text.str()).c_str(), stderr);
    return sightglass::finish_output("sightglass", wanted ? sightglass::kSucceeded : sightglass::kUsage,
                                     sightglass::kFailed);
  }
  for (const sightglass::Subcommand& subcommand : subcommands) {
    if (!subcommand.app->parsed()) continue;
    const int status = sightglass::finish_output("sightglass", run(subcommand), subcommand.unwritten);
    if (sightglass::video::has_hung_pipeline()) std::_Exit(status);
    return status;
  }
  return sightglass::kUsage;
}
