#include "dmabuf_export/downstream_frames.h"

#include <gst/allocators/gstdmabuf.h>

#include "gobject/log.h"

// The debug category of the element.
GST_DEBUG_CATEGORY_EXTERN(gst_gl_dmabuf_export_debug);
#define GST_CAT_DEFAULT gst_gl_dmabuf_export_debug

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
