// Statistics of a running element: as JSON, as Prometheus metrics, and whether frames flow.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "video/gst_setup.h"

namespace sightglass::serve {

struct Viewers {
  int mjpeg = 0, results = 0, webrtc = 0;
};

class FrameStatistics {
 public:
  // Counts the frames that leave `element`, which outlives this.
  explicit FrameStatistics(GstElement* element);
  ~FrameStatistics();
  FrameStatistics(const FrameStatistics&) = delete;
  FrameStatistics& operator=(const FrameStatistics&) = delete;

  // Times in milliseconds; those that are unknown are left out.
  nlohmann::ordered_json report() const;
  // In the text format of Prometheus, with times in seconds.
  std::string metrics(const Viewers& viewers) const;
  // Why frames do not flow; empty: they do.
  std::string obstacle() const;
  // Whether there was a frame, and the time since the last one, or since the start.
  bool started() const { return flow().frames > 0; }
  double idle_seconds() const { return flow().idle_s; }

 private:
  struct Flow {
    uint64_t frames = 0;
    double rate = 0, frame_ms = 0;  // of the last second; 0: unknown
    double idle_s = 0;              // since the last frame, or since the start
  };
  Flow flow() const;
  static GstPadProbeReturn on_frame(GstPad* pad, GstPadProbeInfo* info, gpointer statistics);

  GstElement* const element_;
  const video::PadPtr pad_;
  gulong probe_ = 0;
  const gint64 start_;
  mutable std::mutex mutex_;
  uint64_t frames_ = 0;        // guarded by mutex_
  std::deque<gint64> recent_;  // guarded by mutex_; monotonic times of frames, at least the last two, in microseconds
};

}  // namespace sightglass::serve
