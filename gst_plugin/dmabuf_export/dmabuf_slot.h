// One DMABUF that GL draws into, and its link to GStreamer memory.
#pragma once

#include <gst/gl/gl.h>

#include <memory>

#include "sightglass/interop/draw_target.h"

namespace sightglass {

struct DmabufSlot {
  GstGLContext* context;  // owned reference
  std::unique_ptr<interop::DrawTarget> target;
  GstMemory* memory;  // owned reference to DMABUF memory; null if the target is in a downstream buffer

  DmabufSlot(GstGLContext* owner, std::unique_ptr<interop::DrawTarget> drawn, GstMemory* dmabuf)
      : context(GST_GL_CONTEXT(gst_object_ref(owner))), target(std::move(drawn)), memory(dmabuf) {}
  ~DmabufSlot();  // on any thread
  DmabufSlot(const DmabufSlot&) = delete;
  DmabufSlot& operator=(const DmabufSlot&) = delete;
};

// The data that each GLMemory of a buffer holds.
struct DmabufHold {
  std::shared_ptr<DmabufSlot> slot;
  GstBuffer* theirs;  // owned reference to the downstream buffer, in the first plane only; null once returned

  ~DmabufHold() { gst_clear_buffer(&theirs); }
};

// DMABUF memory from the frame's first byte to the end of its last plane; null on failure. The caller owns it.
GstMemory* make_dmabuf_memory(const interop::DmabufFrame& frame);

// Wraps the slot's textures in a buffer of GLMemory. Takes ownership of `theirs`, which may be null. Null on failure.
GstBuffer* wrap_dmabuf_slot(const std::shared_ptr<DmabufSlot>& slot, GstBuffer* theirs);
// The hold of such a buffer; null for others.
DmabufHold* dmabuf_hold(GstBuffer* buffer);

// The slot kept with downstream memory; null if there is none for `context`.
std::shared_ptr<DmabufSlot> kept_slot(GstMemory* memory, GstGLContext* context);
void keep_slot(GstMemory* memory, const std::shared_ptr<DmabufSlot>& slot);

}  // namespace sightglass
