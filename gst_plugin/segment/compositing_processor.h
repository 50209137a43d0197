// Processors that draw frames of glsegment without its model: with masks from upstream, or the background only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "gl/frame_format.h"
#include "gl/frame_reader.h"
#include "gl/gl_bridge.h"
#include "gl/gpu_timer.h"
#include "meta/meta_types.h"
#include "segment/compositor.h"
#include "segment/segment_runtime.h"

namespace sightglass {

// Gives the compositor the background image of the scene.
class ScenePicture {
 public:
  void forget() { uploaded_.reset(); }
  // Calls `set` with the image for frames of this size if image or size changed.
  template <typename F>
  Status update(const SegmentRuntime::Scene& scene, const FrameSize& size, F set) {
    const PictureFit fit = scene.settings.background_fit;
    if (scene.picture == nullptr || (scene.picture == uploaded_ && fit == fit_)) return {};
    uploaded_ = scene.picture;
    fit_ = fit;
    SIGHTGLASS_ASSIGN_OR_RETURN(const Picture::Scaled scaled,
                                uploaded_->scale(size.width, size.height, fit, size.pixel_aspect));
    return set(scaled.pixels, scaled.place);
  }

 private:
  std::shared_ptr<const Picture> uploaded_;
  PictureFit fit_ = PictureFit::kCover;
};

// The frame of the background video that belongs to a frame, mapped for drawing.
// Construct it on the GL thread, and keep it until the frame has been drawn.
class BackgroundFrame {
 public:
  // The background frame that is attached to `input`. `context` must be current.
  BackgroundFrame(GstBuffer* input, GstGLContext* context);

  // Why the attached frame cannot be shown.
  const Status& status() const { return status_; }
  // Empty if none is attached.
  TextureRef texture() const { return mapped_ ? mapped_->texture() : TextureRef(); }
  // The width of a pixel by its height.
  float pixel_aspect() const { return pixel_aspect_; }

 private:
  Status status_;
  std::optional<MappedTexture> mapped_;
  float pixel_aspect_ = 1;
};

// Base of the processors that draw frames of glsegment without running a model.
class CompositingProcessor : public FrameProcessor {
 public:
  void forget() override {}
  uint64_t inferences() const override { return 0; }
  std::optional<GpuTime> poll_time() override;

 protected:
  // `scene` must outlive it.
  CompositingProcessor(const GlTarget& target, const SegmentRuntime::Scene& scene, FrameReader reader,
                       Compositor compositor);

  Status set_size(const FrameSize& size);
  Status update_picture();
  // `task` names it in errors: "drawing a frame".
  Status draw(const FrameJob& job, const TextureRef& mask, const InputTransform& place, const SegmentLook& look,
              const char* task);
  TextureRef nothing() const { return {nothing_.id(), GL_TEXTURE_2D, 1, 1}; }
  const SegmentRuntime::Scene& scene() const { return scene_; }
  const GlApi& gl() const { return gl_; }
  GstGLContext* context() const { return context_; }
  FrameKind kind() const { return kind_; }
  Compositor& compositor() { return compositor_; }

 private:
  const std::shared_ptr<ShareGroup> group_;  // first, because everything below refers to its function table
  const GlApi& gl_;
  GstGLContext* const context_;  // its thread runs all calls
  const FrameKind kind_;
  const SegmentRuntime::Scene& scene_;
  FrameReader reader_;
  Compositor compositor_;
  GpuTimer timer_;
  GlTexture nothing_;
  ScenePicture picture_;
  FrameSize size_;
};

// glsegment before its model is ready: shows only the background of each frame, as on-failure=background does.

// `scene` must outlive it.
Result<std::unique_ptr<FrameProcessor>> make_background_processor(const GlTarget& target,
                                                                  const SegmentRuntime::Scene& scene);

// glsegment without a model: composites frames with the masks that an upstream element attached (mask_meta.h).

// `scene` must outlive it.
Result<std::unique_ptr<FrameProcessor>> make_meta_mask_processor(const GlTarget& target,
                                                                 const SegmentSettings& settings,
                                                                 const SegmentRuntime::Scene& scene);

}  // namespace sightglass
