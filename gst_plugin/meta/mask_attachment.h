// The masks that glsegment attaches to its buffers: textures of a pool of their own, filled on the GPU.
#pragma once

#include <gst/gl/gl.h>

#include <memory>

#include "gpu_engine/input_transform.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/texture_ref.h"
#include "meta/mask_writer.h"

namespace sightglass {

// On the GL thread of its context, destruction too.
class MaskAttachment {
 public:
  // For masks of this size.
  static Result<std::unique_ptr<MaskAttachment>> create(GstGLContext* context, const std::shared_ptr<ShareGroup>& group,
                                                        int32_t width, int32_t height);
  ~MaskAttachment();
  MaskAttachment(const MaskAttachment&) = delete;
  MaskAttachment& operator=(const MaskAttachment&) = delete;

  // Draws `mask`, which `to_picture` leads into the upright picture of width × height pixels, and attaches it to
  // `picture`, which must be writable: SightglassMaskMeta, and where GStreamer has it (1.26),
  // GstAnalyticsSegmentationMtd with what is at least `threshold` probable as region 1.
  Status attach(GstBuffer* picture, int32_t width, int32_t height, const TextureRef& mask,
                const InputTransform& to_picture, float threshold);

 private:
  MaskAttachment(GstGLContext* context, GstBufferPool* pool, MaskWriter writer);

  GstGLContext* context_;  // owned reference
  GstBufferPool* pool_;    // owned reference
  MaskWriter writer_;
};

}  // namespace sightglass
