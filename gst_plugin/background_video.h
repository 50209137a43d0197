// A second video behind the foreground, for bins around glsegment: the foreground, cut out, and the other video come
// together in GStreamer's mixer, which matches their frames by time.
#pragma once

#include <gst/gst.h>

#include <memory>

namespace sightglass {

// Elements that it adds to a bin; the bin owns them. Made and removed while nothing flows.
class BackgroundVideo {
 public:
  // Puts itself between `segment` and `next`, which are linked. Null, with an error posted by the bin, when an element
  // is missing.
  static std::unique_ptr<BackgroundVideo> insert(GstBin* bin, GstElement* segment, GstElement* next);
  // Links the two again.
  void remove();

  // Where the other video comes in.
  GstPad* sink() const { return sink_; }

 private:
  BackgroundVideo(GstBin* bin, GstElement* segment, GstElement* next) : bin_(bin), segment_(segment), next_(next) {}
  bool add_elements();
  void note_caps(bool front, GstCaps* caps);
  static GstPadProbeReturn on_event(GstPad* pad, GstPadProbeInfo* info, gpointer self);

  GstBin* bin_;
  GstElement *segment_, *next_;
  GstElement *upload_ = nullptr, *convert_ = nullptr, *mixer_ = nullptr, *size_ = nullptr;
  GstPad *front_ = nullptr, *back_ = nullptr;           // the mixer's; its own
  GstPad *sink_ = nullptr, *segment_source_ = nullptr;  // borrowed from their elements
  gulong front_probe_ = 0;
  gint background_ = 0, alpha_ = 0;  // glsegment's properties before
  int front_width_ = 0, front_height_ = 0, back_width_ = 0, back_height_ = 0;  // guarded by the mixer's object lock
};

}  // namespace sightglass
