// A second video behind the foreground, for bins around glsegment: the foreground, cut out, and the other video come
// together in GStreamer's mixer, which matches their frames by time.
#pragma once

#include <gst/gst.h>

#include <mutex>

namespace sightglass {

// Elements that it adds to a bin; the bin owns them. To be destroyed with the bin.
class BackgroundVideo {
 public:
  // Between `segment` and `next`, which are linked. All three outlive this.
  BackgroundVideo(GstBin* bin, GstElement* segment, GstElement* next);
  BackgroundVideo(const BackgroundVideo&) = delete;
  BackgroundVideo& operator=(const BackgroundVideo&) = delete;

  // While nothing flows: adds the elements, and returns where the other video comes in, a pad of theirs. Null where
  // they are there already, and, with an error posted by the bin, where one is missing.
  GstPad* insert();
  // Any thread, whatever flows. The other video, which comes in by the bin's pad `entrance`, is let go of at once:
  // whoever is pushing comes back before this returns, and is told that the pad is flushing. The foreground goes
  // straight on with the next frame but one, and the elements are removed behind its back.
  void leave(GstPad* entrance);
  // While nothing flows: ends what leave() has begun.
  void finish();

 private:
  enum class State { kNone, kThere, kLeaving, kPassedBy };  // of the elements

  bool make_elements();
  bool link_elements();
  void note_caps(bool front, GstCaps* caps);
  bool pass_by();
  void remove_elements();
  static GstPadProbeReturn on_front(GstPad* pad, GstPadProbeInfo* info, gpointer self);
  static GstPadProbeReturn on_back(GstPad* pad, GstPadProbeInfo* info, gpointer self);

  GstBin* const bin_;
  GstElement *const segment_, *const next_;
  GstPad* const segment_source_;  // borrowed
  // Set by insert(), until the elements are removed.
  GstElement *upload_ = nullptr, *convert_ = nullptr, *mixer_ = nullptr, *size_ = nullptr;
  GstPad* front_ = nullptr;  // the mixer's; its own
  gulong front_probe_ = 0;
  gint background_ = 0, alpha_ = 0;  // glsegment's properties before

  std::mutex removal_mutex_;  // held while elements are removed
  std::mutex mutex_;          // guards what follows
  State state_ = State::kNone;
  GstPad* back_ = nullptr;  // the mixer's; its own
  int front_width_ = 0, front_height_ = 0, back_width_ = 0, back_height_ = 0;
};

}  // namespace sightglass
