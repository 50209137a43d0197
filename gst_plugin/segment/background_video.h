// A second video behind the foreground, for bins around glsegment.
#pragma once

#include <gst/gst.h>

#include <mutex>

// An element for bins around glsegment. It forwards the frames of its pad "sink", and attaches to each the frame of the
// request pad "background" with the same running time (meta_types.h). There is at most one such pad. Any thread
// can request and release it in any state.
//
// A frame waits until the background video has reached its running time. With live sources, it waits for at most the
// negotiated latency. A background frame is shown until the next one starts; the last one is shown to the end. Frames
// have none attached before the first background frame and without the pad.

// Not registered as a feature: create it with g_object_new().
GType gst_gl_background_matcher_get_type();

namespace sightglass {

// A second video behind the foreground, for bins around glsegment: a background matcher upstream of glsegment, and the
// elements that convert the other video to GL memory.
// Adds elements to a bin, which owns them. Destroy it with the bin.
class BackgroundVideo {
 public:
  // For the link between `before` and `segment`. All three outlive this.
  BackgroundVideo(GstBin* bin, GstElement* before, GstElement* segment)
      : bin_(bin), before_(before), segment_(segment) {}
  BackgroundVideo(const BackgroundVideo&) = delete;
  BackgroundVideo& operator=(const BackgroundVideo&) = delete;

  // Adds the elements if they are missing. Call it only while nothing flows.
  void insert();
  // Removes them unless a background video is linked. Call it only while nothing flows.
  void remove();
  // Any thread, at any time. Returns the sink pad for the background video, on an element of the bin. Null without the
  // elements, or if there is a pad already.
  GstPad* enter();
  // Any thread, at any time after enter(). Releases the pad behind the ghost pad `entrance` at once. A push in progress
  // returns GST_FLOW_FLUSHING before this returns.
  void leave(GstPad* entrance);

 private:
  GstBin* const bin_;
  GstElement *const before_, *const segment_;
  std::mutex mutex_;  // guards the members below
  GstElement *upload_ = nullptr, *convert_ = nullptr, *matcher_ = nullptr;
  GstPad* back_ = nullptr;  // pad of the matcher; owned
};

}  // namespace sightglass
