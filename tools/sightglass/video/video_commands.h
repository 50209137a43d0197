// The subcommands for video: `segment`, `pose`, `detect`, `classify`, and `run-pipeline`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "video/cameras.h"

namespace sightglass::video {

// The options of a subcommand that are properties of its element are added when the parser reaches the subcommand,
// because they need GStreamer.
void add_video_commands(CLI::App& app, std::vector<Subcommand>& subcommands);

// What the subcommands share with other subcommands that run an element.
// --input, --size, and --rate.
void add_input_options(CLI::App& app, std::string& input, CameraWishes& wishes);
// --property NAME=VALUE, repeatable.
void add_property_option(CLI::App& app, std::vector<std::string>& properties);
// Reports an error, if any, on one line.
int exit_status_of(const Status& status);

}  // namespace sightglass::video
