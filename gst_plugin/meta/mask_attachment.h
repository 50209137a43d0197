// Attaches masks to buffers: textures from a separate pool, filled on the GPU.
#pragma once

#include <gst/gl/gl.h>

#include <memory>

#include "meta/mask_writer.h"
#include "sightglass/input_transform.h"
#include "sightglass/share_group.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// All calls, including the destructor, are on the GL thread of its context.
class MaskAttachment {
 public:
  // For masks of this size.
  static Result<std::unique_ptr<MaskAttachment>> create(GstGLContext* context, const std::shared_ptr<ShareGroup>& group,
                                                        int32_t width, int32_t height);
  ~MaskAttachment();
  MaskAttachment(const MaskAttachment&) = delete;
  MaskAttachment& operator=(const MaskAttachment&) = delete;

  // Draws `mask` and attaches it to `picture`, which must be writable, as SightglassMaskMeta. From GStreamer 1.26, also
  // adds GstAnalyticsSegmentationMtd, in which region 1 has at least the probability `threshold`. `to_picture` maps the
  // mask to the upright frame of width × height pixels.
  Status attach(GstBuffer* picture, int32_t width, int32_t height, const TextureRef& mask,
                const InputTransform& to_picture, float threshold);

 private:
  MaskAttachment(GstGLContext* context, GstBufferPool* pool, MaskWriter writer);

  GstGLContext* context_;  // owned reference
  GstBufferPool* pool_;    // owned reference
  MaskWriter writer_;
};

}  // namespace sightglass
