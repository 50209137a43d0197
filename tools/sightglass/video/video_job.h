// Jobs: one run of a video subcommand, with its input, element, output, files, and reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sightglass/status.h"
#include "video/element_options.h"
#include "video/input.h"
#include "video/output.h"
#include "video/output_file.h"
#include "video/player.h"
#include "video/task.h"

namespace sightglass::video {

// One run of a video subcommand: its input, its element, and its output, as a gst-launch pipeline.
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

// Runs one job: its pipeline, its files, and its reports.

// The settings that follow from an input, for every job that reads it. `task` outlives them.
PlayerSettings input_settings(const Input& input, const VideoTask& task);

// Plays the job until its end. Output files get their names if it succeeds, even if the input is incomplete. `claimed`:
// the output file, if the caller has opened it.
Result<PlaybackResult> run_job(const VideoJob& job, const PlayerSettings& settings, PlaybackReport& report,
                               std::optional<UnfinishedFile> claimed = {});

// Adds properties of the element that the user wrote as NAME=VALUE.
Status add_properties(const std::string& element, const std::vector<std::string>& texts, PropertyValues& values);
// Adds values that follow from others, such as background=image from a location. `results`: whether they are written.
void complete_properties(PropertyValues& values, bool results);

}  // namespace sightglass::video
