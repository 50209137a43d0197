// Ends an input at a time of its own clock: a file of ten minutes gives its first ten seconds, however fast it plays.
#pragma once

#include <gst/gst.h>

#include <atomic>

namespace sightglass::video {

class TimeLimit {
 public:
  // Counts `seconds` from the first frame that reaches `model`. Frames, and audio for the muxer of the pipeline, do not
  // pass beyond them. Outlives the streaming threads.
  TimeLimit(GstElement* pipeline, GstElement* model, double seconds);
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  // Whether a frame was held back, and audio that may be behind.
  bool reached() const;
  // Seconds of frames that have passed.
  double position() const;

 private:
  // One of the streams of the input.
  struct Stream {
    TimeLimit* limit = nullptr;  // null: the input has no such stream
    bool video = false;
    std::atomic<gint64> reached_at = 0;  // monotonic time, in microseconds; 0: not yet
  };
  void watch(GstPad* pad, Stream& stream);
  GstPadProbeReturn check(GstPad* pad, GstBuffer* buffer, Stream& stream);
  static GstPadProbeReturn on_buffer(GstPad* pad, GstPadProbeInfo* info, gpointer stream);

  const gint64 length_;  // in nanoseconds
  // Running times of frames, in nanoseconds; -1: none has come.
  std::atomic<gint64> first_ = -1, last_ = -1;
  Stream video_, audio_;
};

}  // namespace sightglass::video
