#include "memory_watch.h"

#include <gst/allocators/gstdmabuf.h>
#include <gst/gl/gl.h>

#include <cstring>
#include <new>

#include "gobject/guarded.h"
#include "scope.h"

namespace sightglass::zerocopy {

namespace {

constexpr guint kPixelPackBuffer = 0x88EB;  // GL_PIXEL_PACK_BUFFER

// The original function, kept with an allocator or with the type of a window.
GQuark original_quark() {
  static const GQuark quark = g_quark_from_static_string("sightglass-zerocopy-original");
  return quark;
}
// On a memory: the worker that its upload counts for.
GQuark uploader_quark() {
  static const GQuark quark = g_quark_from_static_string("sightglass-zerocopy-uploader");
  return quark;
}

// GStreamer uses flag bits that the enumeration does not name.
guint flags_of(const GstMapInfo& info) {
  guint flags = 0;
  std::memcpy(&flags, &info.flags, sizeof flags);
  return flags;
}

// If memory to count a copy is missing, the copy still happens.
void count(Worker* worker, Copy copy, uint64_t bytes) noexcept {
  try {
    count_copy(worker, copy, bytes);
  } catch (...) {
    log_exception("count a copy");
  }
}

GstMemoryMapFullFunction original_map_full(GstAllocator* allocator) {
  return reinterpret_cast<GstMemoryMapFullFunction>(g_object_get_qdata(G_OBJECT(allocator), original_quark()));
}

// For textures and all other GL memory except buffers.
gpointer map_gl_memory(GstMemory* memory, GstMapInfo* info, gsize size) {
  const GstMemoryMapFullFunction original = original_map_full(memory->allocator);
  const Errand errand = present_errand();
  if (errand.mapping) return original(memory, info, size);
  const guint flags = flags_of(*info);
  const bool needs_upload = GST_MEMORY_FLAG_IS_SET(memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_UPLOAD);
  const bool needs_download = GST_MEMORY_FLAG_IS_SET(memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_DOWNLOAD);
  gpointer data = nullptr;
  {
    const ErrandScope mapping({errand.worker, true});
    data = original(memory, info, size);
  }
  if (data == nullptr) return nullptr;
  GstMiniObject* object = GST_MINI_OBJECT_CAST(memory);
  if ((flags & GST_MAP_GL) != 0) {
    if (needs_upload) {
      auto* uploader = static_cast<Worker*>(gst_mini_object_steal_qdata(object, uploader_quark()));
      if ((flags & GST_MAP_READ) != 0) count(uploader, Copy::kUpload, memory->size);
    }
    return data;
  }
  count(nullptr, Copy::kGlMap, memory->size);
  if (needs_download && (flags & GST_MAP_READ) != 0) count(nullptr, Copy::kDownload, memory->size);
  if ((flags & GST_MAP_WRITE) != 0) gst_mini_object_steal_qdata(object, uploader_quark());  // for the next pusher
  return data;
}

// Textures are transferred through GL buffers. If GL writes one as a pixel pack buffer while no texture is mapped,
// gldownload is starting a download early.
gpointer map_gl_buffer(GstMemory* memory, GstMapInfo* info, gsize size) {
  gpointer data = original_map_full(memory->allocator)(memory, info, size);
  const guint flags = flags_of(*info);
  const auto* buffer = reinterpret_cast<const GstGLBuffer*>(memory);
  if (data != nullptr && !present_errand().mapping && (flags & GST_MAP_GL) != 0 && (flags & GST_MAP_WRITE) != 0 &&
      buffer->target == kPixelPackBuffer) {
    count(nullptr, Copy::kDownload, memory->size);
  }
  return data;
}

gpointer map_dmabuf(GstMemory* memory, GstMapInfo* info, gsize size) {
  gpointer data = original_map_full(memory->allocator)(memory, info, size);
  if (data != nullptr && !present_errand().mapping) count(nullptr, Copy::kDmabufMap, memory->size);
  return data;
}

// For allocators that only have the simple function.
gpointer map_dmabuf_simply(GstMemory* memory, gsize size, GstMapFlags flags) {
  const auto original =
      reinterpret_cast<GstMemoryMapFunction>(g_object_get_qdata(G_OBJECT(memory->allocator), original_quark()));
  gpointer data = original(memory, size, flags);
  if (data != nullptr && !present_errand().mapping) count(nullptr, Copy::kDmabufMap, memory->size);
  return data;
}

void keep_original(GstAllocator* allocator, gpointer function) {
  g_object_set_qdata(G_OBJECT(allocator), original_quark(), function);
}

void replace_map_full(GstAllocator* allocator, GstMemoryMapFullFunction function) {
  keep_original(allocator, reinterpret_cast<gpointer>(allocator->mem_map_full));
  allocator->mem_map_full = function;
}

void watch_allocator(GstAllocator* allocator) {
  if (GST_IS_DMABUF_ALLOCATOR(allocator)) {
    if (allocator->mem_map_full != nullptr) {
      replace_map_full(allocator, map_dmabuf);
    } else if (allocator->mem_map != nullptr) {
      keep_original(allocator, reinterpret_cast<gpointer>(allocator->mem_map));
      allocator->mem_map = map_dmabuf_simply;
    }
  } else if (GST_IS_GL_BASE_MEMORY_ALLOCATOR(allocator) && allocator->mem_map_full != nullptr) {
    replace_map_full(
        allocator, G_TYPE_CHECK_INSTANCE_TYPE(allocator, GST_TYPE_GL_BUFFER_ALLOCATOR) ? map_gl_buffer : map_gl_memory);
  }
}

// A message to a GL thread, and the errand of its sender.
struct Message {
  Errand errand;
  GstGLWindowCB callback;
  gpointer data;
  GDestroyNotify destroy;
};

void run_message(gpointer data) {
  const auto* message = static_cast<Message*>(data);
  const ErrandScope scope(message->errand);
  message->callback(message->data);
}

void destroy_message(gpointer data) {
  auto* message = static_cast<Message*>(data);
  if (message->destroy != nullptr) message->destroy(message->data);
  delete message;
}

using SendMessageAsync = void (*)(GstGLWindow*, GstGLWindowCB, gpointer, GDestroyNotify);

// Synchronous messages are implemented as asynchronous ones plus a wait.
void send_message_async(GstGLWindow* window, GstGLWindowCB callback, gpointer data, GDestroyNotify destroy) {
  gpointer original = nullptr;
  for (GType type = G_OBJECT_TYPE(window); original == nullptr && type != 0; type = g_type_parent(type))
    original = g_type_get_qdata(type, original_quark());
  if (original == nullptr) return;  // impossible: watch_window() has stored it
  const auto send = reinterpret_cast<SendMessageAsync>(original);
  auto* message = new (std::nothrow) Message{present_errand(), callback, data, destroy};
  if (message == nullptr) return send(window, callback, data, destroy);  // uncounted, but not lost
  send(window, run_message, message, destroy_message);
}

void watch_window(GstGLWindow* window) {
  GstGLWindowClass* window_class = GST_GL_WINDOW_GET_CLASS(window);
  if (window_class->send_message_async == send_message_async) return;
  g_type_set_qdata(G_OBJECT_TYPE(window), original_quark(),
                   reinterpret_cast<gpointer>(window_class->send_message_async));
  window_class->send_message_async = send_message_async;
}

bool carries_gl_memory(GstPad* pad) {
  GstCaps* caps = gst_pad_get_current_caps(pad);
  if (caps == nullptr) return false;
  const bool carries = !gst_caps_is_any(caps) && gst_caps_get_size(caps) > 0 &&
                       gst_caps_features_contains(gst_caps_get_features(caps, 0), GST_CAPS_FEATURE_MEMORY_GL_MEMORY);
  gst_caps_unref(caps);
  return carries;
}

}  // namespace

void watch_object(GObject* object) {
  if (GST_IS_ALLOCATOR(object)) {
    watch_allocator(GST_ALLOCATOR_CAST(object));
  } else if (GST_IS_GL_WINDOW(object)) {
    watch_window(GST_GL_WINDOW(object));
  }
}

void note_pushed(GstPad* pad, GstBuffer* buffer, Worker* pusher) {
  const guint number = gst_buffer_n_memory(buffer);
  for (guint i = 0; i < number; ++i) {
    GstMemory* memory = gst_buffer_peek_memory(buffer, i);
    if (!GST_MEMORY_FLAG_IS_SET(memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_UPLOAD) || !gst_is_gl_base_memory(memory) ||
        gst_mini_object_get_qdata(GST_MINI_OBJECT_CAST(memory), uploader_quark()) != nullptr) {
      continue;
    }
    if (!carries_gl_memory(pad)) return;
    gst_mini_object_set_qdata(GST_MINI_OBJECT_CAST(memory), uploader_quark(), pusher, nullptr);
  }
}

}  // namespace sightglass::zerocopy
