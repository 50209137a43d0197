// The request pad "mask" of glsegment: a stream of the masks with which its frames were composited.
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

// Streaming thread unless stated otherwise.
class MaskPad {
 public:
  MaskPad() = default;
  ~MaskPad();
  MaskPad(const MaskPad&) = delete;
  MaskPad& operator=(const MaskPad&) = delete;

  // Application thread, in any state. Adds the pad to the element; its stream begins with the next frame. Null if there
  // is a pad already.
  static GstPadTemplate* make_template();
  GstPad* request(GstBaseTransform* element, GstPadTemplate* pad_template);
  void release(GstElement* element, GstPad* pad);
  bool is_linked() const;

  // Call it with each event of the sink pad, before the element handles the event; the caller keeps it. Flushes arrive
  // on other threads. `size` is the size of the next masks, if known.
  void note_event(GstBaseTransform* element, GstEvent* event, const std::optional<MaskSize>& size);
  // Pushes the mask that is attached to `frame` (SightglassMaskMeta), before the element pushes the frame. Without one,
  // sends a gap.
  void push(GstBaseTransform* element, GstBuffer* frame, const std::optional<MaskSize>& size);
  // Sends a gap for a frame without a mask.
  void push_gap(GstBaseTransform* element, GstClockTime time, GstClockTime duration,
                const std::optional<MaskSize>& size);
  // The flow return for upstream: combines that of this pad with `flow`, that of the source pad.
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
  // Updates the sticky events to those of the source pad. False if the caps are not known yet: they must precede all
  // buffers and gaps.
  bool follow(GstBaseTransform* element, GstPad* pad, const std::optional<MaskSize>& size);
  void follow_event(GstBaseTransform* element, GstPad* pad, GstEvent* event, const std::optional<MaskSize>& size);
  void begin(GstBaseTransform* element, GstPad* pad, GstEvent* upstream);

  mutable std::mutex mutex_;
  GstPad* pad_ = nullptr;                            // owned by the element; guarded by mutex_
  std::unique_ptr<GstFlowCombiner, Free> combiner_;  // exists while the pad exists; guarded by mutex_
  GstEvent* begun_with_ = nullptr;  // owned: the upstream stream-start from which that of the pad was made
};

}  // namespace sightglass
