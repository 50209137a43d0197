#include "dmabuf_export/dmabuf_pool.h"

#include <fcntl.h>
#include <gst/allocators/gstdmabuf.h>
#include <gst/gl/gl.h>
#include <gst/video/video.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "gl/frame_format.h"
#include "gl/gl_bridge.h"
#include "gobject/guarded.h"
#include "gobject/log.h"
#include "sightglass/interop/draw_target.h"

#define GST_CAT_DEFAULT gst_gl_dmabuf_export_debug

namespace sightglass {

// One DMABUF that GL draws into, and its link to GStreamer memory.
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

// DMABUF memory from the frame's first byte to the end of its last plane; null on failure. The caller owns it.
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

// Wraps the slot's textures in a buffer of GLMemory. Takes ownership of `theirs`, which may be null. Null on failure.
GstBuffer* wrap_dmabuf_slot(const std::shared_ptr<DmabufSlot>& slot, GstBuffer* theirs) {
  const auto& textures = slot->target->textures();
  const interop::DmabufFrame& frame = slot->target->frame();
  GstVideoInfo info;
  gst_video_info_set_format(&info, drawn_format(textures.size() > 1), static_cast<guint>(frame.width),
                            static_cast<guint>(frame.height));
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

// The hold of such a buffer; null for others.
DmabufHold* dmabuf_hold(GstBuffer* buffer) {
  if (gst_buffer_n_memory(buffer) == 0) return nullptr;
  GstMemory* memory = gst_buffer_peek_memory(buffer, 0);
  return static_cast<DmabufHold*>(gst_mini_object_get_qdata(GST_MINI_OBJECT(memory), hold_quark()));
}

// The slot kept with downstream memory; null if there is none for `context`.
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

// The debug category of the element.
GST_DEBUG_CATEGORY_EXTERN(gst_gl_dmabuf_export_debug);
namespace sightglass {

DownstreamPool activate_downstream_pool(GstQuery* query, GstCaps* caps) {
  if (gst_query_get_n_allocation_pools(query) == 0) {
    GST_DEBUG_OBJECT(log_object(), "pool: downstream offers none");
    return nullptr;
  }
  GstBufferPool* offered = nullptr;
  guint size = 0, min = 0, max = 0;
  gst_query_parse_nth_allocation_pool(query, 0, &offered, &size, &min, &max);
  if (offered == nullptr) return nullptr;
  const DownstreamPool pool(offered, [](GstBufferPool* dropped) {
    gst_buffer_pool_set_active(dropped, FALSE);
    gst_object_unref(dropped);
  });
  GstStructure* config = gst_buffer_pool_get_config(offered);
  gst_buffer_pool_config_set_params(config, caps, size, min, max);
  if (gst_buffer_pool_has_option(offered, GST_BUFFER_POOL_OPTION_VIDEO_META)) {
    gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  }
  if (!gst_buffer_pool_set_config(offered, config) || !gst_buffer_pool_set_active(offered, TRUE)) {
    GST_DEBUG_OBJECT(log_object(), "pool: declining the downstream %" GST_PTR_FORMAT ": cannot activate it", offered);
    return nullptr;
  }
  GstBuffer* buffer = acquire_downstream_buffer(pool, true);
  const bool dmabuf =
      buffer != nullptr && gst_buffer_n_memory(buffer) > 0 && gst_is_dmabuf_memory(gst_buffer_peek_memory(buffer, 0));
  gst_clear_buffer(&buffer);
  GST_DEBUG_OBJECT(log_object(), "pool: %s the downstream %" GST_PTR_FORMAT "%s", dmabuf ? "using" : "declining",
                   offered, dmabuf ? "" : ": its memory is not DMABUFs");
  return dmabuf ? pool : nullptr;
}

GstBuffer* acquire_downstream_buffer(const DownstreamPool& pool, bool now) {
  GstBufferPoolAcquireParams params = {};
  if (now) params.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT;
  GstBuffer* buffer = nullptr;
  gst_buffer_pool_acquire_buffer(pool.get(), &buffer, &params);
  return buffer;
}

std::optional<interop::DmabufFrame> frame_in_buffer(GstBuffer* buffer, const ExportFormat& format) {
  interop::DmabufFrame frame;
  frame.width = format.request.width;
  frame.height = format.request.height;
  frame.fourcc = format.request.fourcc;
  frame.modifier = interop::kModifierLinear;
  frame.plane_count = static_cast<int>(GST_VIDEO_INFO_N_PLANES(&format.info));
  const GstVideoMeta* meta = gst_buffer_get_video_meta(buffer);
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES(&format.info); ++i) {
    const gsize offset = meta != nullptr ? meta->offset[i] : GST_VIDEO_INFO_PLANE_OFFSET(&format.info, i);
    const gint stride = meta != nullptr ? meta->stride[i] : GST_VIDEO_INFO_PLANE_STRIDE(&format.info, i);
    guint index = 0, length = 0;
    gsize skip = 0;
    if (stride <= 0 || !gst_buffer_find_memory(buffer, offset, 1, &index, &length, &skip)) return std::nullopt;
    GstMemory* memory = gst_buffer_peek_memory(buffer, index);
    if (!gst_is_dmabuf_memory(memory)) return std::nullopt;
    frame.planes[i] = {gst_dmabuf_memory_get_fd(memory), static_cast<uint32_t>(skip + memory->offset),
                       static_cast<uint32_t>(stride)};
  }
  return frame;
}

}  // namespace sightglass

// The debug category of the element.
GST_DEBUG_CATEGORY_EXTERN(gst_gl_dmabuf_export_debug);
namespace {

using sightglass::DmabufSlot;
using sightglass::DmabufSource;
using sightglass::interop::DrawTarget;

struct PoolState {
  DmabufSource source;
  std::mutex mutex;  // guards `first`
  std::unique_ptr<DrawTarget> first;
};

struct GstGLDMABufExportPool {
  GstGLBufferPool parent;
  PoolState* state;
};
struct GstGLDMABufExportPoolClass {
  GstGLBufferPoolClass parent_class;
};

}  // namespace

// Derives from the GL pool type, so that GStreamer GL elements accept it.
G_DEFINE_TYPE(GstGLDMABufExportPool, sightglass_dmabuf_pool, GST_TYPE_GL_BUFFER_POOL)

namespace {

PoolState& state_of(gpointer pool) { return *static_cast<GstGLDMABufExportPool*>(pool)->state; }

// Creates a slot on the GL thread, around the downstream buffer `theirs` if there is one. Null, with a warning, on
// failure.
std::shared_ptr<DmabufSlot> make_slot(GstBufferPool* pool, GstBuffer* theirs) {
  PoolState& state = state_of(pool);
  GstGLContext* context = GST_GL_BUFFER_POOL(pool)->context;
  std::unique_ptr<DrawTarget> target;
  if (theirs == nullptr) {
    const std::lock_guard lock(state.mutex);
    target = std::move(state.first);
  }
  if (target == nullptr) {
    const auto& [targets, format, downstream] = state.source;
    auto made = sightglass::on_gl_thread(context, [&] {
      const auto frame = theirs != nullptr ? sightglass::frame_in_buffer(theirs, format)
                                           : std::optional<sightglass::interop::DmabufFrame>();
      return frame ? targets->adopt(*frame) : targets->make(format.request);
    });
    if (!made.ok()) {
      GST_WARNING_OBJECT(pool, "%s", made.status().message().c_str());
      return nullptr;
    }
    target = std::move(made).value();
  }
  GstMemory* memory = theirs == nullptr ? sightglass::make_dmabuf_memory(target->frame()) : nullptr;
  auto slot = std::make_shared<DmabufSlot>(context, std::move(target), memory);
  if (theirs != nullptr || memory != nullptr) return slot;
  GST_WARNING_OBJECT(pool, "cannot create a GstMemory for a DMABUF");
  return nullptr;
}

GstFlowReturn alloc_buffer(GstBufferPool* pool, GstBuffer** buffer, GstBufferPoolAcquireParams* /*params*/) {
  const std::shared_ptr<DmabufSlot> slot = make_slot(pool, nullptr);
  *buffer = slot != nullptr ? sightglass::wrap_dmabuf_slot(slot, nullptr) : nullptr;
  return *buffer != nullptr ? GST_FLOW_OK : GST_FLOW_ERROR;
}

// The downstream pool owns its buffers: each one is wrapped again, but textures are kept with the memory.
GstFlowReturn acquire_buffer(GstBufferPool* pool, GstBuffer** buffer, GstBufferPoolAcquireParams* params) {
  PoolState& state = state_of(pool);
  if (state.source.theirs == nullptr) {
    return GST_BUFFER_POOL_CLASS(sightglass_dmabuf_pool_parent_class)->acquire_buffer(pool, buffer, params);
  }
  const bool now = params != nullptr && (params->flags & GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT) != 0;
  GstBuffer* theirs = sightglass::acquire_downstream_buffer(state.source.theirs, now);
  if (theirs == nullptr) return now ? GST_FLOW_EOS : GST_FLOW_FLUSHING;
  GstMemory* memory = gst_buffer_peek_memory(theirs, 0);
  auto slot = sightglass::kept_slot(memory, GST_GL_BUFFER_POOL(pool)->context);
  if (slot == nullptr && (slot = make_slot(pool, theirs)) != nullptr) sightglass::keep_slot(memory, slot);
  if (slot == nullptr) {
    gst_buffer_unref(theirs);
    return GST_FLOW_ERROR;
  }
  *buffer = sightglass::wrap_dmabuf_slot(slot, theirs);
  return *buffer != nullptr ? GST_FLOW_OK : GST_FLOW_ERROR;
}

void release_buffer(GstBufferPool* pool, GstBuffer* buffer) {
  if (state_of(pool).source.theirs != nullptr) {
    gst_buffer_unref(buffer);
  } else {
    GST_BUFFER_POOL_CLASS(sightglass_dmabuf_pool_parent_class)->release_buffer(pool, buffer);
  }
}

// Does not preallocate if the buffers come from downstream.
gboolean start(GstBufferPool* pool) {
  return state_of(pool).source.theirs != nullptr ||
         GST_BUFFER_POOL_CLASS(sightglass_dmabuf_pool_parent_class)->start(pool);
}

void finalize(GObject* object) {
  auto* pool = static_cast<GstGLDMABufExportPool*>(static_cast<gpointer>(object));
  // Textures that were never used.
  if (pool->state->first != nullptr) {
    sightglass::on_gl_thread(pool->parent.context, [&] { pool->state->first.reset(); });
  }
  delete pool->state;
  G_OBJECT_CLASS(sightglass_dmabuf_pool_parent_class)->finalize(object);
}

}  // namespace

static void sightglass_dmabuf_pool_init(GstGLDMABufExportPool* self) { self->state = new PoolState; }

static void sightglass_dmabuf_pool_class_init(GstGLDMABufExportPoolClass* klass) {
  G_OBJECT_CLASS(klass)->finalize = sightglass::guarded<finalize>;
  GstBufferPoolClass* pool_class = GST_BUFFER_POOL_CLASS(klass);
  pool_class->start = sightglass::guarded<start>;
  pool_class->alloc_buffer = sightglass::guarded<alloc_buffer>;
  pool_class->acquire_buffer = sightglass::guarded<acquire_buffer>;
  pool_class->release_buffer = sightglass::guarded<release_buffer>;
}

namespace sightglass {

GstBufferPool* make_dmabuf_pool(GstGLContext* context, const DmabufSource& source,
                                std::unique_ptr<interop::DrawTarget> first) {
  auto* pool = static_cast<GstGLDMABufExportPool*>(g_object_new(sightglass_dmabuf_pool_get_type(), nullptr));
  gst_object_ref_sink(pool);
  pool->parent.context = GST_GL_CONTEXT(gst_object_ref(context));
  pool->state->source = source;
  pool->state->first = std::move(first);
  mark_lent_pool(GST_BUFFER_POOL(pool));
  return GST_BUFFER_POOL(pool);
}

bool configure_dmabuf_pool(GstBufferPool* pool, GstCaps* caps, guint min) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) return false;
  GstStructure* config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, static_cast<guint>(info.size), min, 0);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_GL_SYNC_META);
  return gst_buffer_pool_set_config(pool, config) != FALSE;
}

const interop::DmabufFrame* dmabuf_frame(GstBuffer* buffer) {
  const DmabufHold* hold = dmabuf_hold(buffer);
  return hold == nullptr ? nullptr : &hold->slot->target->frame();
}

const interop::DmabufTexture& dmabuf_texture(GstBuffer* buffer, size_t index) {
  return dmabuf_hold(buffer)->slot->target->textures()[index];
}

bool can_unwrap_dmabuf(GstBuffer* buffer) {
  const DmabufHold* hold = dmabuf_hold(buffer);
  return hold->slot->memory != nullptr || (hold->theirs != nullptr && gst_buffer_is_writable(buffer));
}

GstBuffer* unwrap_dmabuf(GstBuffer* buffer, GstVideoFormat format, bool* lent) {
  DmabufHold* hold = dmabuf_hold(buffer);
  *lent = hold->slot->memory == nullptr;
  if (*lent) return std::exchange(hold->theirs, nullptr);
  const interop::DmabufFrame& frame = hold->slot->target->frame();
  std::array<gsize, GST_VIDEO_MAX_PLANES> offsets{};
  std::array<gint, GST_VIDEO_MAX_PLANES> strides{};
  for (size_t i = 0; i < static_cast<size_t>(frame.plane_count); ++i) {
    offsets[i] = frame.planes[i].offset;
    strides[i] = static_cast<gint>(frame.planes[i].stride);
  }
  GstBuffer* out = gst_buffer_new();
  gst_buffer_append_memory(out, gst_memory_ref(hold->slot->memory));
  gst_buffer_add_video_meta_full(out, GST_VIDEO_FRAME_FLAG_NONE, format, static_cast<guint>(frame.width),
                                 static_cast<guint>(frame.height), static_cast<guint>(frame.plane_count),
                                 offsets.data(), strides.data());
  gst_buffer_add_parent_buffer_meta(out, buffer);
  return out;
}

}  // namespace sightglass
