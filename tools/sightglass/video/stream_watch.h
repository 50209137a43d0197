// Watches the data in a pipeline: whether it flows, where it does not, and which outputs have got their last.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "video/gst_objects.h"

namespace sightglass::video {

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

}  // namespace sightglass::video
