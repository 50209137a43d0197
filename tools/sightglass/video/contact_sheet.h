// Writes a PNG that shows a few frames, and what elements make of them, side by side.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sightglass/status.h"

namespace sightglass::video {

// A few frames of a stream, spread over it.
struct UnrefSample {
  void operator()(GstSample* sample) const { gst_sample_unref(sample); }
};
using SamplePtr = std::unique_ptr<GstSample, UnrefSample>;

// Copies frames that enter an element to system memory: at first every frame, then every second one, and so on. Few
// frames are held at any time, and they are spread evenly, however long the stream is.
class FrameSamples {
 public:
  // Samples the pad "sink" of the element from now on. The samples must outlive the stream.
  void watch(GstElement* element);
  // After the stream: up to `wanted` frames.
  std::vector<SamplePtr> take(size_t wanted);

 private:
  static GstPadProbeReturn on_frame(GstPad* pad, GstPadProbeInfo* info, gpointer samples);
  void offer(GstBuffer* buffer, const GstCaps* caps);

  static constexpr size_t kMost = 16;
  std::mutex mutex_;
  uint64_t frames_ = 0, stride_ = 1;
  std::vector<SamplePtr> samples_;
};

// One column per sample, and one row per element: in gst-launch syntax, with system memory as input and output.
Status write_contact_sheet(const std::vector<SamplePtr>& samples, const std::vector<std::string>& elements,
                           const std::string& path);

}  // namespace sightglass::video
