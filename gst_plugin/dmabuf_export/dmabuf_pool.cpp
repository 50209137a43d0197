#include "dmabuf_export/dmabuf_pool.h"

#include <array>
#include <mutex>
#include <string>
#include <utility>

#include "dmabuf_export/dmabuf_slot.h"
#include "gl/gl_bridge.h"
#include "gl/gl_thread.h"
#include "gobject/guarded.h"

// The debug category of the element.
GST_DEBUG_CATEGORY_EXTERN(gst_gl_dmabuf_export_debug);
#define GST_CAT_DEFAULT gst_gl_dmabuf_export_debug

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
