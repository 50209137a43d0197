#include "segment/background_processor.h"

#include <utility>

#include "gl/gl_state_guard.h"
#include "segment/background_frame.h"
#include "segment/compositing_processor.h"
#include "segment/log.h"

#define GST_CAT_DEFAULT sightglass::segment_log()

namespace sightglass {

namespace {

class BackgroundProcessor : public CompositingProcessor {
 public:
  BackgroundProcessor(const GlTarget& target, const SegmentRuntime::Scene& scene, FrameReader reader,
                      Compositor compositor)
      : CompositingProcessor(target, scene, std::move(reader), std::move(compositor)) {}

  Status resize(const FrameSize& size) override {
    const GlStateGuard guard(gl(), kind());
    SIGHTGLASS_RETURN_IF_ERROR(set_size(size));
    SIGHTGLASS_RETURN_IF_ERROR(update_picture());
    return compositor().prepare(look());
  }

  Status process(FrameJob& job) override {
    job.failure = draw_background(job);
    if (job.failure.ok()) return {};
    if (scene().settings.run.on_failure == OnFailure::kError) return job.failure;
    const GlStateGuard guard(gl(), kind());
    return compositor().draw_black(job.output);
  }

 private:
  // Without the parts of the look that only edges have.
  SegmentLook look() const {
    SegmentLook look = scene().settings.look_for({});
    look.coverage = Coverage::kAllBackground;
    look.feather = look.edge_offset = look.light_wrap = 0;
    return look;
  }

  Status draw_background(const FrameJob& job) {
    const GlStateGuard guard(gl(), kind());
    SIGHTGLASS_RETURN_IF_ERROR(update_picture());
    const BackgroundFrame behind(job.input, context());
    SIGHTGLASS_RETURN_IF_ERROR(behind.status());
    compositor().set_video(behind.texture(), behind.pixel_aspect(), scene().settings.background_fit);
    GST_LOG_OBJECT(log_object(), "frame %" G_GUINT64_FORMAT ": the model is not ready, drawing only the background",
                   job.number);
    return draw(job, nothing(), {}, look(), "drawing the background of a frame");
  }
};

}  // namespace

Result<std::unique_ptr<FrameProcessor>> make_background_processor(const GlTarget& target,
                                                                  const SegmentRuntime::Scene& scene) {
  const GlStateGuard guard(target.group->gl(), target.frame);
  SIGHTGLASS_ASSIGN_OR_RETURN(FrameReader reader, FrameReader::create(target.group, target.device, target.frame));
  const FrameKind read = FrameReader::planned_kind(target.device, target.frame);
  SIGHTGLASS_ASSIGN_OR_RETURN(Compositor compositor, Compositor::create_background(target.group, read));
  return std::make_unique<BackgroundProcessor>(target, scene, std::move(reader), std::move(compositor));
}

}  // namespace sightglass
