// Runs the pipeline of the demo and measures it.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <string>
#include <vector>

#include "options.h"
#include "sightglass/status.h"

namespace sightglass::demo {

struct SampleDeleter {
  void operator()(GstSample* sample) const { gst_sample_unref(sample); }
};
using Sample = std::unique_ptr<GstSample, SampleDeleter>;

struct PlaybackResult {
  uint64_t frames = 0;
  double seconds = 0;                           // from the first frame to the last
  double model_ms = 0, gpu_ms = 0, cpu_ms = 0;  // per frame; 0: unknown
  double start_ms = 0;                          // compiling and uploading the model
  int width = 0, height = 0;
  std::vector<Sample> samples;  // a few input frames, spread over the run
};

// Plays to the end, until SIGINT, or for the time limit of a camera. Errors are those of the pipeline elements.
Result<PlaybackResult> play(const Options& options);

// Plays `pipeline` until end of stream; fails with its first error.
Status wait_for_end(GstElement* pipeline);

// gst_parse_launch with its error as a Status.
Result<GstElement*> parse(const std::string& text);

}  // namespace sightglass::demo
