// One run of a video subcommand: its input, its element, and its output, as a gst-launch pipeline.
#pragma once

#include <optional>
#include <string>

#include "video/element_options.h"
#include "video/input.h"
#include "video/output.h"

namespace sightglass::video {

struct VideoJob {
  std::string element;  // "glsegmentbin"
  PropertyValues properties;
  Input input;
  Output output;
  std::string contact_sheet;  // a PNG file; empty: none
  std::string results;        // a file for results as JSON lines, or "-"; empty: none
  // From the first frame. 0: to the end of the input, or until interrupted. Unset: the same, but kSecondsOfFile if the
  // input is endless and the output is a file.
  std::optional<int> seconds;

  int limit() const;  // in seconds; 0: none
};

constexpr int kSecondsOfFile = 10;
// The element that runs the model in launch_text().
constexpr const char* kModelElement = "model";
// The element that writes the results.
constexpr const char* kResultsElement = "results";

// Says that the output lacks the audio of the input, and why. Empty if it does not.
std::string lost_audio(const VideoJob& job);

// In gst-launch syntax.
std::string launch_text(const VideoJob& job);
// The element with its properties, and no name. `background` replaces the one of the job unless it is empty.
std::string element_text(const VideoJob& job, const std::string& background = {});

}  // namespace sightglass::video
