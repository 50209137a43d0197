// Attaches masks to buffers: textures from a separate pool, filled on the GPU.
#pragma once

#include <gst/gl/gl.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "gl/objects.h"
#include "gl/pass.h"
#include "sightglass/gl_objects.h"
#include "sightglass/input_transform.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// How pixels become regions: those whose probability, in R, is at least `threshold`. They are region 1, or with
// `objects` the region of the object whose number, from 1 to `objects`, is the byte in G.
struct MaskRegions {
  float threshold = 0.5F;
  int32_t objects = 0;
};

// Writes the model's mask to textures with one byte per pixel, for use in addition to the frame.
// All calls, including the destructor, need the context current and restore GL state.
class MaskWriter {
 public:
  // Compiles the programs that the share group does not have yet, and draws once, so that drivers finish compiling.
  static Result<MaskWriter> create(const std::shared_ptr<ShareGroup>& group);

  // Draws into R8 textures of the mask size: the probabilities, and the region of each pixel, 0 where there is none. If
  // `regions` is 0, writes only the probabilities.
  Status write(const TextureRef& mask, const MaskRegions& choice, GLuint probabilities, GLuint regions);

 private:
  MaskWriter(std::shared_ptr<ShareGroup> group, SharedProgram program);
  Status warm_up();

  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const GlApi* gl_;
  SharedProgram program_;
  UniformBlock<std::array<float, 4>> block_;
  GlVertexArray vertex_array_;
  DrawTarget target_;
  GlSampler sampler_;
};

// The mask that an element upstream attached to a frame.
struct AttachedMask {
  TextureRef texture;       // probability in R; valid as long as the frame
  InputTransform to_frame;  // its position in the frame as it was then
};
// On the GL thread of `context`, which waits on the GPU until the mask is written. Nothing if the frame has none. Fails
// if the context cannot use it.
Result<std::optional<AttachedMask>> attached_mask(GstBuffer* frame, GstGLContext* context);

// All calls, including the destructor, are on the GL thread of its context.
class MaskAttachment {
 public:
  // For masks of this size.
  static Result<std::unique_ptr<MaskAttachment>> create(GstGLContext* context, const std::shared_ptr<ShareGroup>& group,
                                                        int32_t width, int32_t height);
  ~MaskAttachment();
  MaskAttachment(const MaskAttachment&) = delete;
  MaskAttachment& operator=(const MaskAttachment&) = delete;

  bool fits(const TextureRef& mask) const { return mask.width == width_ && mask.height == height_; }

  // Draws `mask` and attaches it to `picture`, which must be writable, as SightglassMaskMeta. From GStreamer 1.26, also
  // adds GstAnalyticsSegmentationMtd: with objects, of the type "instance". `to_picture` maps the mask to the upright
  // frame of width × height pixels.
  Status attach(GstBuffer* picture, int32_t width, int32_t height, const TextureRef& mask,
                const InputTransform& to_picture, const MaskRegions& choice);

 private:
  MaskAttachment(GstGLContext* context, GstBufferPool* pool, MaskWriter writer, int32_t width, int32_t height);

  GstGLContext* context_;  // owned reference
  GstBufferPool* pool_;    // owned reference
  MaskWriter writer_;
  int32_t width_, height_;
};

}  // namespace sightglass
