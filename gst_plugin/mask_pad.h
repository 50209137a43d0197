// glsegment's request pad "mask": the masks that its frames were composed with, as a stream of their own.
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>

#include <memory>
#include <mutex>

namespace sightglass {

// Streaming thread, unless it says otherwise.
class MaskPad {
 public:
  MaskPad() = default;
  ~MaskPad() { gst_clear_caps(&caps_); }
  MaskPad(const MaskPad&) = delete;
  MaskPad& operator=(const MaskPad&) = delete;

  // Application thread: request() while nothing flows, release() at any time. The pad becomes the element's.
  static GstPadTemplate* make_template();
  GstPad* request(GstElement* element, GstPadTemplate* pad_template);
  void release(GstElement* element, GstPad* pad);
  bool is_linked() const;

  // What has come to the element's sink pad; the event stays the caller's.
  void note_event(GstBaseTransform* element, GstEvent* event);
  // Sends the mask that `frame`, which the element is about to send, carries as SightglassMaskMeta; a gap where it
  // carries none.
  void push(GstBaseTransform* element, GstBuffer* frame);

 private:
  struct Unref {
    void operator()(GstPad* pad) const { gst_object_unref(pad); }
  };
  using PadReference = std::unique_ptr<GstPad, Unref>;
  PadReference reference() const;
  void begin(GstBaseTransform* element, GstPad* pad);
  bool send_caps(GstBaseTransform* element, GstPad* pad, GstBuffer* mask);

  mutable std::mutex mutex_;
  GstPad* pad_ = nullptr;  // the element's; guarded by mutex_
  bool begun_ = false;     // the stream has been announced
  bool segment_sent_ = false;
  GstCaps* caps_ = nullptr;  // owned; sent last
};

}  // namespace sightglass
