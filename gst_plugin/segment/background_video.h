// A second video behind the foreground, for bins around glsegment: a background matcher in front of it, and what brings
// the other video there.
#pragma once

#include <gst/gst.h>

#include <mutex>

namespace sightglass {

// Elements that it adds to a bin; the bin owns them. To be destroyed with the bin.
class BackgroundVideo {
 public:
  // Between `before` and `segment`, which are linked. All three outlive this.
  BackgroundVideo(GstBin* bin, GstElement* before, GstElement* segment)
      : bin_(bin), before_(before), segment_(segment) {}
  BackgroundVideo(const BackgroundVideo&) = delete;
  BackgroundVideo& operator=(const BackgroundVideo&) = delete;

  // While nothing flows: adds the elements, where they are not there yet.
  void insert();
  // While nothing flows: removes them, but for a video that is there.
  void remove();
  // Any thread, whatever flows. Where the other video comes in, a pad of an element of the bin; null without the
  // elements, and while there is one already.
  GstPad* enter();
  // Any thread, whatever flows, after enter(). The other video, which comes in by the bin's pad `entrance`, is let go
  // of at once: whoever is pushing comes back before this returns, and is told that the pad is flushing.
  void leave(GstPad* entrance);

 private:
  GstBin* const bin_;
  GstElement *const before_, *const segment_;
  std::mutex mutex_;  // guards what follows
  GstElement *upload_ = nullptr, *convert_ = nullptr, *matcher_ = nullptr;
  GstPad* back_ = nullptr;  // the matcher's; its own
};

}  // namespace sightglass
