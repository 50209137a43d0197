// Frames in memory from downstream: some displays can show only their own memory.
#pragma once

#include <gst/video/video.h>

#include <memory>
#include <optional>

#include "dmabuf_export/export_caps.h"
#include "sightglass/interop/dmabuf.h"

namespace sightglass {

// A downstream pool, active until the last reference is released.
using DownstreamPool = std::shared_ptr<GstBufferPool>;

// The first pool in an answered allocation query, configured for `caps`, if it provides DMABUFs; null otherwise.
DownstreamPool activate_downstream_pool(GstQuery* query, GstCaps* caps);

// The next buffer of such a pool, without waiting if `now`; null if there is none. The caller owns it.
GstBuffer* acquire_downstream_buffer(const DownstreamPool& pool, bool now);

// The layout of a buffer of DMABUF memory, from its metadata or otherwise from the caps; nothing for other buffers. The
// buffer owns the file descriptors.
std::optional<interop::DmabufFrame> frame_in_buffer(GstBuffer* buffer, const ExportFormat& format);

}  // namespace sightglass
