// Runs one job: its pipeline, its files, and its reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sightglass/status.h"
#include "video/player.h"
#include "video/task.h"
#include "video/unfinished_file.h"
#include "video/video_job.h"

namespace sightglass::video {

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
