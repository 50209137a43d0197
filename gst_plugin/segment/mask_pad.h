// glsegment's request pad "mask": the masks that its frames were composed with, as a stream of their own.
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/base/gstflowcombiner.h>
#include <gst/gst.h>

#include <memory>
#include <mutex>
#include <optional>

namespace sightglass {

// In pixels.
struct MaskSize {
  int32_t width = 0, height = 0;
};

// Streaming thread, unless it says otherwise.
class MaskPad {
 public:
  MaskPad() = default;
  ~MaskPad();
  MaskPad(const MaskPad&) = delete;
  MaskPad& operator=(const MaskPad&) = delete;

  // Application thread, in every state; the stream begins with the next frame. There is one pad at a time, which
  // becomes the element's; null where it exists already.
  static GstPadTemplate* make_template();
  GstPad* request(GstBaseTransform* element, GstPadTemplate* pad_template);
  void release(GstElement* element, GstPad* pad);
  bool is_linked() const;

  // What has come to the element's sink pad, before the element handles it; the event stays the caller's. Flushes come
  // from other threads. `size` is that of the masks to come, where it is known.
  void note_event(GstBaseTransform* element, GstEvent* event, const std::optional<MaskSize>& size);
  // Sends the mask that `frame`, which the element is about to send, carries as SightglassMaskMeta; a gap where it
  // carries none.
  void push(GstBaseTransform* element, GstBuffer* frame, const std::optional<MaskSize>& size);
  // A frame without a mask.
  void push_gap(GstBaseTransform* element, GstClockTime time, GstClockTime duration,
                const std::optional<MaskSize>& size);
  // What upstream is to be told of both pads, of which the element's source pad has come to `flow`.
  GstFlowReturn combine(GstBaseTransform* element, GstFlowReturn flow) const;

 private:
  struct Unref {
    void operator()(GstPad* pad) const { gst_object_unref(pad); }
  };
  struct Free {
    void operator()(GstFlowCombiner* combiner) const { gst_flow_combiner_free(combiner); }
  };
  using PadReference = std::unique_ptr<GstPad, Unref>;
  PadReference reference() const;
  PadReference linked() const;
  // Brings the pad's sticky events up to date with those of the element's source pad. False where the caps, which come
  // before everything that has a time, are not known yet.
  bool follow(GstBaseTransform* element, GstPad* pad, const std::optional<MaskSize>& size);
  void follow_event(GstBaseTransform* element, GstPad* pad, GstEvent* event, const std::optional<MaskSize>& size);
  void begin(GstBaseTransform* element, GstPad* pad, GstEvent* upstream);

  mutable std::mutex mutex_;
  GstPad* pad_ = nullptr;                            // the element's; guarded by mutex_
  std::unique_ptr<GstFlowCombiner, Free> combiner_;  // there while the pad is; guarded by mutex_
  GstEvent* begun_with_ = nullptr;                   // owned: upstream's stream-start that the pad's was made of
};

}  // namespace sightglass
