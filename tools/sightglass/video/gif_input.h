// Animated GIF files. The demuxer of libav gives all of their frames the same time, and does not end after the last.
#pragma once

#include <gst/gst.h>

#include <atomic>

#include "video/gst_objects.h"

namespace sightglass::video {

class GifInput {
 public:
  // Recognizes the demuxer when it is added to the pipeline, and gives the frames for `model` their times. Outlives the
  // streaming threads.
  GifInput(GstElement* pipeline, GstElement* model);
  GifInput(const GifInput&) = delete;
  GifInput& operator=(const GifInput&) = delete;

  // Whether data is waiting in the demuxer after this many seconds without data: the last frame has passed.
  bool ended(GstElement* stuck, double idle) const;

 private:
  static void on_element(GstBin* pipeline, GstBin* bin, GstElement* element, gpointer input);
  static GstPadProbeReturn on_frame(GstPad* pad, GstPadProbeInfo* info, gpointer input);

  std::atomic<bool> active_ = false;
  GstClockTime next_ = 0;  // of the next frame; streaming thread only
};

}  // namespace sightglass::video
