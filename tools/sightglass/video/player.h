// Runs a pipeline until its end, an error, a key, a signal, or a time limit.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sightglass/status.h"
#include "video/gst_objects.h"
#include "video/playback_report.h"

namespace sightglass::video {

struct PlayerSettings {
  std::string input_name, output_name;               // for errors; empty: the element's name is used
  std::string input_hint;                            // follows errors of the input before the first frame
  int seconds = 0;                                   // from the first frame to the end of the stream; 0: no limit
  double duration = 0;                               // of the input, in seconds; 0: unknown
  bool repeat = false;                               // whether a seekable input starts again at its end
  bool ends_at_once = false;                         // whether users end it at once, as a success: nothing is written
  bool keys = true;                                  // whether keys of the terminal have an effect
  std::function<std::vector<std::string>()> models;  // names that a key chooses from; may be empty
  // Called once signals have their effect, before the pipeline starts; may be empty.
  std::function<void()> ready;
  // If set, a signal does not complete the output: play() calls this and fails.
  std::function<void()> interrupted;
  // For cameras that may be unplugged: the camera element in gst-launch syntax, and whether it is there. An empty text:
  // no camera.
  std::string camera_text;
  std::function<bool()> camera_available;
};

// Plays the pipeline on the default main context. `element`, which runs the model, may be null: then frames are not
// counted, and keys only pause and quit. The first Ctrl-C ends the stream, so that files are completed; the second one
// stops at once, as a failure.
Result<PlaybackResult> play(GstElement* pipeline, GstElement* element, const PlayerSettings& settings,
                            PlaybackReport& report);

}  // namespace sightglass::video
