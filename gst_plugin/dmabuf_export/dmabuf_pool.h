// Buffers that are textures for GL and DMABUFs for everybody else.
#pragma once

#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <memory>

#include "dmabuf_export/downstream_frames.h"
#include "dmabuf_export/export_caps.h"
#include "interop/draw_target.h"

namespace sightglass {

// How frames are made.
struct DmabufSource {
  std::shared_ptr<const interop::DrawTargets> targets;
  ExportFormat format;
  DownstreamPool theirs;  // where frames lie in its memory
};

// A pool whose buffers hold GLMemory, drawn into like any other (one RGBA texture; R8 and RG8 for NV12), that lies in
// DMABUFs of `source`. Upstream elements may use it for their output. `first`, which may be null, is used before others
// are made. Inactive and not configured; any thread. Allocation fails with a warning in the log.
GstBufferPool* make_dmabuf_pool(GstGLContext* context, const DmabufSource& source,
                                std::unique_ptr<interop::DrawTarget> first);
// Sets the pool up for `caps` of GLMemory, and `min` buffers at the start. False where it refuses.
bool configure_dmabuf_pool(GstBufferPool* pool, GstCaps* caps, guint min);

// How the DMABUF behind the textures of such a buffer lies; null for other buffers. Valid as long as the buffer.
const interop::DmabufFrame* dmabuf_frame(GstBuffer* buffer);
// The texture of plane `index` of such a buffer.
const interop::DmabufTexture& dmabuf_texture(GstBuffer* buffer, size_t index);

// Takes the DMABUF of such a buffer out of GL: downstream's own buffer, where it lies in one (`lent`), otherwise a
// buffer of the DMABUF alone, with a GstVideoMeta of `format` that tells its layout, that keeps `buffer` away from its
// pool for as long as it lives itself. The caller owns it.
GstBuffer* unwrap_dmabuf(GstBuffer* buffer, GstVideoFormat format, bool* lent);
// Whether that can be done: downstream's buffer can be taken once, from a buffer that nobody else looks at.
bool can_unwrap_dmabuf(GstBuffer* buffer);

}  // namespace sightglass
