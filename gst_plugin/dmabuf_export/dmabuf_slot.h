// One DMABUF that GL draws into, and how it hangs on GStreamer's memory.
#pragma once

#include <gst/gl/gl.h>

#include <memory>

#include "interop/draw_target.h"

namespace sightglass {

struct DmabufSlot {
  GstGLContext* context;  // a reference
  std::unique_ptr<interop::DrawTarget> target;
  GstMemory* memory;  // a reference, DMABUF memory; null where the target lies in a buffer of downstream's

  DmabufSlot(GstGLContext* owner, std::unique_ptr<interop::DrawTarget> drawn, GstMemory* dmabuf)
      : context(GST_GL_CONTEXT(gst_object_ref(owner))), target(std::move(drawn)), memory(dmabuf) {}
  ~DmabufSlot();  // on any thread
  DmabufSlot(const DmabufSlot&) = delete;
  DmabufSlot& operator=(const DmabufSlot&) = delete;
};

// What each GLMemory of a buffer holds.
struct DmabufHold {
  std::shared_ptr<DmabufSlot> slot;
  GstBuffer* theirs;  // a reference to downstream's buffer, in the first plane's; null once it has been handed out

  ~DmabufHold() { gst_clear_buffer(&theirs); }
};

// DMABUF memory from the frame's first byte to the end of its last plane; null on failure. The caller owns it.
GstMemory* make_dmabuf_memory(const interop::DmabufFrame& frame);

// A buffer of GLMemory around the slot's textures. Takes `theirs` over, which may be null. Null on failure.
GstBuffer* wrap_dmabuf_slot(const std::shared_ptr<DmabufSlot>& slot, GstBuffer* theirs);
// Of such a buffer; null for others.
DmabufHold* dmabuf_hold(GstBuffer* buffer);

// The slot that was kept with downstream's memory; null if there is none for `context`.
std::shared_ptr<DmabufSlot> kept_slot(GstMemory* memory, GstGLContext* context);
void keep_slot(GstMemory* memory, const std::shared_ptr<DmabufSlot>& slot);

}  // namespace sightglass
