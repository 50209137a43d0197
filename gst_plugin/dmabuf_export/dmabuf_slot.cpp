#include "dmabuf_export/dmabuf_slot.h"

#include <fcntl.h>
#include <gst/allocators/gstdmabuf.h>
#include <gst/video/video.h>
#include <unistd.h>

#include <algorithm>

#include "gl/gl_thread.h"

namespace sightglass {

namespace {

GQuark hold_quark() {
  static const GQuark quark = g_quark_from_static_string("sightglass-dmabuf-hold");
  return quark;
}
GQuark kept_quark() {
  static const GQuark quark = g_quark_from_static_string("sightglass-dmabuf-slot");
  return quark;
}

// Number of bytes up to the end of the last plane, or up to the end of the DMABUF if its layout is not linear.
gsize extent(const interop::DmabufFrame& frame, gsize whole) {
  if (frame.modifier != interop::kModifierLinear) return whole;
  gsize end = 0;
  for (int i = 0; i < frame.plane_count; ++i) {
    const interop::DmabufPlane& plane = frame.planes[static_cast<size_t>(i)];
    const auto rows = static_cast<gsize>(i == 0 ? frame.height : (frame.height + 1) / 2);
    end = std::max(end, plane.offset + rows * plane.stride);
  }
  return std::min(end, whole);
}

}  // namespace

DmabufSlot::~DmabufSlot() {
  if (memory != nullptr) gst_memory_unref(memory);
  on_gl_thread(context, [this] { target.reset(); });
  gst_object_unref(context);
}

GstMemory* make_dmabuf_memory(const interop::DmabufFrame& frame) {
  const int fd = frame.planes[0].fd;
  const off_t end = ::lseek(fd, 0, SEEK_END);
  // The memory may outlive the pool, so it gets its own file descriptor.
  const int own = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (end <= 0 || own < 0) {
    if (own >= 0) ::close(own);
    return nullptr;
  }
  const auto whole = static_cast<gsize>(end);
  GstAllocator* allocator = gst_dmabuf_allocator_new();
  GstMemory* memory = gst_dmabuf_allocator_alloc(allocator, own, whole);
  gst_object_unref(allocator);
  if (memory != nullptr) gst_memory_resize(memory, 0, extent(frame, whole));
  return memory;
}

GstBuffer* wrap_dmabuf_slot(const std::shared_ptr<DmabufSlot>& slot, GstBuffer* theirs) {
  const auto& textures = slot->target->textures();
  const interop::DmabufFrame& frame = slot->target->frame();
  GstVideoInfo info;
  gst_video_info_set_format(&info, textures.size() > 1 ? GST_VIDEO_FORMAT_NV12 : GST_VIDEO_FORMAT_RGBA,
                            static_cast<guint>(frame.width), static_cast<guint>(frame.height));
  GstGLBaseMemoryAllocator* allocator = GST_GL_BASE_MEMORY_ALLOCATOR(gst_allocator_find(GST_GL_MEMORY_ALLOCATOR_NAME));
  GstBuffer* buffer = gst_buffer_new();
  for (size_t i = 0; i < textures.size(); ++i) {
    const GstGLFormat format = textures.size() == 1 ? GST_GL_RGBA8 : i == 0 ? GST_GL_R8 : GST_GL_RG8;
    auto* hold = new DmabufHold{slot, i == 0 ? theirs : nullptr};
    GstGLVideoAllocationParams* params = gst_gl_video_allocation_params_new_wrapped_texture(
        slot->context, nullptr, &info, static_cast<guint>(i), nullptr, GST_GL_TEXTURE_TARGET_2D, format,
        textures[i].name, hold, [](gpointer held) { delete static_cast<DmabufHold*>(held); });
    GstGLBaseMemory* memory = gst_gl_base_memory_alloc(allocator, reinterpret_cast<GstGLAllocationParams*>(params));
    gst_gl_allocation_params_free(reinterpret_cast<GstGLAllocationParams*>(params));
    if (memory == nullptr) {
      delete hold;
      gst_clear_buffer(&buffer);
      break;
    }
    gst_mini_object_set_qdata(GST_MINI_OBJECT(memory), hold_quark(), hold, nullptr);
    gst_buffer_append_memory(buffer, GST_MEMORY_CAST(memory));
  }
  gst_object_unref(allocator);
  if (buffer == nullptr) return nullptr;
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info),
                                 static_cast<guint>(info.width), static_cast<guint>(info.height),
                                 GST_VIDEO_INFO_N_PLANES(&info), info.offset, info.stride);
  gst_buffer_add_gl_sync_meta(slot->context, buffer);
  return buffer;
}

DmabufHold* dmabuf_hold(GstBuffer* buffer) {
  if (gst_buffer_n_memory(buffer) == 0) return nullptr;
  GstMemory* memory = gst_buffer_peek_memory(buffer, 0);
  return static_cast<DmabufHold*>(gst_mini_object_get_qdata(GST_MINI_OBJECT(memory), hold_quark()));
}

std::shared_ptr<DmabufSlot> kept_slot(GstMemory* memory, GstGLContext* context) {
  const auto* slot =
      static_cast<const std::shared_ptr<DmabufSlot>*>(gst_mini_object_get_qdata(GST_MINI_OBJECT(memory), kept_quark()));
  return slot != nullptr && (*slot)->context == context ? *slot : nullptr;
}

void keep_slot(GstMemory* memory, const std::shared_ptr<DmabufSlot>& slot) {
  gst_mini_object_set_qdata(GST_MINI_OBJECT(memory), kept_quark(), new std::shared_ptr<DmabufSlot>(slot),
                            [](gpointer kept) { delete static_cast<std::shared_ptr<DmabufSlot>*>(kept); });
}

}  // namespace sightglass
