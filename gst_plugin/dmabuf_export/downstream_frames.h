// Frames in memory that downstream offers: what a display can show is sometimes its own memory alone.
#pragma once

#include <gst/video/video.h>

#include <memory>
#include <optional>

#include "dmabuf_export/export_caps.h"
#include "interop/dmabuf.h"

namespace sightglass {

// A pool of downstream's, active until the last holder lets go.
using DownstreamPool = std::shared_ptr<GstBufferPool>;

// The first pool that an answered allocation query offers, set up for `caps`, if it gives DMABUFs; null otherwise.
DownstreamPool activate_downstream_pool(GstQuery* query, GstCaps* caps);

// The next buffer of such a pool, without waiting for one if `now`; null where there is none. The caller owns it.
GstBuffer* acquire_downstream_buffer(const DownstreamPool& pool, bool now);

// How a buffer of DMABUF memory lies there, by its metadata or else by the caps; nothing for other buffers. Descriptors
// are borrowed from the buffer.
std::optional<interop::DmabufFrame> frame_in_buffer(GstBuffer* buffer, const ExportFormat& format);

}  // namespace sightglass
