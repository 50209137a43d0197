// The subcommands for video: `segment`, `pose`, `detect`, `classify`, and `run-pipeline`.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "common/command_line.h"

namespace sightglass::video {

// The options of a subcommand that are properties of its element are added when the parser reaches the subcommand,
// because they need GStreamer.
void add_video_commands(CLI::App& app, std::vector<Subcommand>& subcommands);

}  // namespace sightglass::video
