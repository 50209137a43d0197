// Base of the processors that draw frames of glsegment without running a model.
#pragma once

#include "gl/frame_reader.h"
#include "gl/gpu_timer.h"
#include "gl/upright_frame.h"
#include "segment/compositor.h"
#include "segment/scene_picture.h"
#include "segment/segment_runtime.h"

namespace sightglass {

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

}  // namespace sightglass
