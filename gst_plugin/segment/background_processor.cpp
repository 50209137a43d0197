#include "segment/background_processor.h"

#include <utility>

#include "gl/frame_reader.h"
#include "gl/gl_state_guard.h"
#include "gl/gpu_timer.h"
#include "segment/background_frame.h"
#include "segment/compositor.h"
#include "segment/log.h"
#include "segment/scene_picture.h"

#define GST_CAT_DEFAULT sightglass::segment_log()

namespace sightglass {

namespace {

class BackgroundProcessor : public FrameProcessor {
 public:
  BackgroundProcessor(const GlTarget& target, const SegmentRuntime::Scene& scene, FrameReader reader,
                      Compositor compositor)
      : group_(target.group),
        gl_(group_->gl()),
        context_(target.context),
        kind_(target.frame),
        scene_(scene),
        reader_(std::move(reader)),
        compositor_(std::move(compositor)),
        timer_(gl_, target.device.es),
        no_mask_(make_texture(gl_, GL_R8, 1, 1)) {}

  Status resize(int32_t width, int32_t height) override {
    const GlStateGuard guard(gl_, kind_);
    width_ = width;
    height_ = height;
    picture_.forget();
    SIGHTGLASS_RETURN_IF_ERROR(compositor_.resize(width, height));
    SIGHTGLASS_RETURN_IF_ERROR(update_picture());
    return compositor_.prepare(look());
  }

  void forget() override {}

  Status process(FrameJob& job) override {
    job.failure = draw(job);
    if (job.failure.ok()) return {};
    if (scene_.settings.run.on_failure == OnFailure::kError) return job.failure;
    const GlStateGuard guard(gl_, kind_);
    return compositor_.draw_black(job.output);
  }

  uint64_t inferences() const override { return 0; }

  std::optional<GpuTime> poll_time() override {
    const std::optional<GpuTimer::Sample> sample = timer_.poll();
    if (!sample) return {};
    return GpuTime{0, sample->other_ns, sample->other_ns};
  }

 private:
  // Without the parts of the look that only edges have.
  Look look() const {
    Look look = scene_.settings.look_for({});
    look.coverage = Coverage::kAllBackground;
    look.feather = look.edge_offset = look.light_wrap = 0;
    return look;
  }

  Status update_picture() {
    return picture_.update(scene_, width_, height_, [this](const auto& pixels, const PicturePlace& place) {
      return compositor_.set_picture(pixels, place);
    });
  }

  Status draw(const FrameJob& job) {
    const GlStateGuard guard(gl_, kind_);
    SIGHTGLASS_RETURN_IF_ERROR(update_picture());
    const BackgroundFrame behind(job.input, context_);
    SIGHTGLASS_RETURN_IF_ERROR(behind.status());
    compositor_.set_video(behind.texture(), scene_.settings.background_fit);
    GST_LOG_OBJECT(log_object(), "frame %" G_GUINT64_FORMAT ": the model is not ready, drawing only the background",
                   job.number);
    timer_.start();
    timer_.middle();
    clear_gl_errors(gl_);
    SIGHTGLASS_ASSIGN_OR_RETURN(const FrameRef read, reader_.readable(job.frame.stored));
    SIGHTGLASS_RETURN_IF_ERROR(compositor_.draw(read, job.frame.upright_to_stored, {no_mask_.id(), GL_TEXTURE_2D, 1, 1},
                                                {}, job.output, look()));
    timer_.end({});
    return check_gl(gl_, "drawing the background of a frame");
  }

  const std::shared_ptr<ShareGroup> group_;  // first, because everything below refers to its function table
  const GlApi& gl_;
  GstGLContext* const context_;  // its thread runs all calls
  const FrameKind kind_;
  const SegmentRuntime::Scene& scene_;
  FrameReader reader_;
  Compositor compositor_;
  GpuTimer timer_;
  GlTexture no_mask_;
  ScenePicture picture_;
  int32_t width_ = 0, height_ = 0;
};

}  // namespace

Result<std::unique_ptr<FrameProcessor>> make_background_processor(const GlTarget& target,
                                                                  const SegmentRuntime::Scene& scene) {
  const GlStateGuard guard(target.group->gl(), target.frame);
  SIGHTGLASS_ASSIGN_OR_RETURN(FrameReader reader, FrameReader::create(target.group, target.device, target.frame));
  const FrameKind read = FrameReader::planned_kind(target.device, target.frame);
  SIGHTGLASS_ASSIGN_OR_RETURN(Compositor compositor, Compositor::create_background(target.group, read));
  return std::unique_ptr<FrameProcessor>(
      std::make_unique<BackgroundProcessor>(target, scene, std::move(reader), std::move(compositor)));
}

}  // namespace sightglass
