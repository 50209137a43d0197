// Runs a pipeline until its end, an error, a key, a signal, or a time limit.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sightglass/status.h"
#include "video/gst_setup.h"
#include "video/playback_report.h"

namespace sightglass::video {

// How long a pipeline may wait for data, in seconds. A model that starts has more time, to compile its programs.
constexpr double kPatience = 60;

struct PlayerSettings {
  std::string input_name, output_name;               // for errors; empty: the element's name is used
  std::string input_hint;                            // follows errors of the input before the first frame
  int seconds = 0;                                   // from the first frame to the end of the stream; 0: no limit
  bool input_time = false;                           // whether `seconds` are those of the input, not of a clock
  double patience = kPatience;                       // seconds without data until a failure; 0: no limit
  bool steady = true;                                // whether an input that gives no frames fails
  bool renders = false;                              // whether the input compiles programs before its first frame
  bool first_frame_only = false;                     // whether the file sink takes one buffer only
  bool completes = false;                            // whether a failure of the input or the model completes the output
  double duration = 0;                               // of the input, in seconds; 0: unknown
  bool repeat = false;                               // whether a seekable input starts again at its end
  bool ends_at_once = false;                         // whether users end it at once, as a success: nothing is written
  bool keys = true;                                  // whether keys of the terminal have an effect
  std::function<std::vector<std::string>()> models;  // names that a key chooses from; may be empty
  // Called once signals have their effect, before the pipeline starts; may be empty.
  std::function<void()> ready;
  // If set, a signal does not complete the output: play() calls this, and fails.
  std::function<void()> interrupted;
  // For cameras that may be unplugged: the camera element in gst-launch syntax, and whether it is there. An empty text:
  // no camera.
  std::string camera_text;
  std::function<bool()> camera_available;
};

struct Playback {
  PlaybackResult result;
  Status status;          // a failure
  bool complete = false;  // whether outputs are complete; after a failure that they survive, up to it
};

// Plays the pipeline on the default main context. `element`, which runs the model, may be null: then frames are not
// counted, and keys only pause and quit. A signal ends the stream, so that files are completed (common/process.h).
// Data that waits too long is a failure that names the element. After a failure to stop, has_hung_pipeline() is true.
Playback play(GstElement* pipeline, GstElement* element, const PlayerSettings& settings, PlaybackReport& report);

}  // namespace sightglass::video
