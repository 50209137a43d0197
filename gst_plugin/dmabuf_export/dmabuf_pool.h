// Buffers that are textures in GL and DMABUFs elsewhere.
#pragma once

#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <memory>
#include <optional>

#include "dmabuf_export/export_caps.h"
#include "sightglass/interop/dmabuf.h"
#include "sightglass/interop/draw_target.h"

namespace sightglass {

// Frames in memory from downstream: some displays can show only their own memory.

// A downstream pool, active until the last reference is released.
using DownstreamPool = std::shared_ptr<GstBufferPool>;

// The first pool in an answered allocation query, configured for `caps`, if it provides DMABUFs; null otherwise.
DownstreamPool activate_downstream_pool(GstQuery* query, GstCaps* caps);

// The next buffer of such a pool, without waiting if `now`; null if there is none. The caller owns it.
GstBuffer* acquire_downstream_buffer(const DownstreamPool& pool, bool now);

// The layout of a buffer of DMABUF memory, from its metadata or otherwise from the caps; nothing for other buffers. The
// buffer owns the file descriptors.
std::optional<interop::DmabufFrame> frame_in_buffer(GstBuffer* buffer, const ExportFormat& format);

// How to create frames.
struct DmabufSource {
  std::shared_ptr<const interop::DrawTargets> targets;
  ExportFormat format;
  DownstreamPool theirs;  // provides the memory; null: the device does
};

// Creates a pool whose buffers hold ordinary renderable GLMemory (one RGBA texture; R8 and RG8 for NV12) in DMABUFs of
// `source`. Upstream elements may use it for their output. `first`, which may be null, is used before others are
// created. The pool is inactive and not configured; any thread. If allocation fails, it logs a warning.
GstBufferPool* make_dmabuf_pool(GstGLContext* context, const DmabufSource& source,
                                std::unique_ptr<interop::DrawTarget> first);
// Configures the pool for `caps` of GLMemory and at least `min` buffers. Returns false if it rejects them.
bool configure_dmabuf_pool(GstBufferPool* pool, GstCaps* caps, guint min);

// The layout of the DMABUF behind the textures of such a buffer; null for other buffers. Valid as long as the buffer.
const interop::DmabufFrame* dmabuf_frame(GstBuffer* buffer);
// The texture of plane `index` of such a buffer.
const interop::DmabufTexture& dmabuf_texture(GstBuffer* buffer, size_t index);

// Returns the DMABUF of such a buffer outside of GL: the downstream buffer that contains it (`lent`), otherwise a new
// buffer with only the DMABUF and a GstVideoMeta of `format` with its layout. The new buffer keeps `buffer` out of its
// pool during its lifetime. The caller owns the result.
GstBuffer* unwrap_dmabuf(GstBuffer* buffer, GstVideoFormat format, bool* lent);
// Whether that is possible: a downstream buffer can be taken only once, from a writable buffer.
bool can_unwrap_dmabuf(GstBuffer* buffer);

}  // namespace sightglass
