// Watches the data of a running pipeline, and ends it: at a time limit, or when elements hang.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "video/gst_setup.h"

namespace sightglass::video {

// Watches the data in a pipeline: whether it flows, where it does not, and which outputs have got their last.
class StreamWatch {
 public:
  // `model`, the element that runs the model, may be null. Both outlive the watch, which outlives the streaming
  // threads.
  StreamWatch(GstElement* pipeline, GstElement* model);
  StreamWatch(const StreamWatch&) = delete;
  StreamWatch& operator=(const StreamWatch&) = delete;

  // Seconds since data passed the model or reached a sink, since restart(), or since the watch began.
  double idle() const;
  void restart();
  // From now on, frames do not reach the model.
  void drop_frames() { dropping_ = true; }
  // Whether the sink of this name has got data.
  bool has_data(std::string_view sink_name) const;
  // Whether all sinks have got the end of their stream. False if one keeps the pace of a clock: it ends later than its
  // data. Apart from `failed`, which may be null.
  bool all_outputs_ended(GstObject* failed) const;
  // The element that data is waiting in; null if data is waiting in no element, so that the input is late.
  ElementPtr stuck_element() const;

 private:
  struct Sink {
    StreamWatch* watch;
    GstElement* element;
    bool paced;  // by a clock
    std::atomic<bool> started = false, ended = false;
  };
  void note_data();
  void watch_model(const char* pad_name);
  static GstPadProbeReturn on_frame(GstPad* pad, GstPadProbeInfo* info, gpointer watch);
  static GstPadProbeReturn on_sink_data(GstPad* pad, GstPadProbeInfo* info, gpointer sink);

  GstElement* const pipeline_;
  GstElement* const model_;
  std::vector<std::unique_ptr<Sink>> sinks_;
  std::atomic<gint64> last_;  // monotonic time, in microseconds
  std::atomic<bool> dropping_ = false;
};

// Ends an input at a time of its own clock: a file of ten minutes gives its first ten seconds, however fast it plays.
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

// Ends the stream of a pipeline whose elements may hang.

// Sends the end of the stream to the sources. Does not wait for them.
void send_end(GstElement* pipeline);
// The same for outputs that the end of the stream has not reached, because an input or a model hangs: sends it to the
// last queue upstream of each sink, or else to the element downstream of `model`, which may be null.
void send_end_to_outputs(GstElement* pipeline, GstElement* model);

// Stops the pipeline. False if it still runs after `seconds`: it then belongs to the threads that hang, and so does
// everything that its pads call.
bool stop_within(GstElement* pipeline, double seconds);
// Whether stop_within() has failed in this process. It cannot end as usual, which would wait for the same threads.
bool has_hung_pipeline();

}  // namespace sightglass::video
