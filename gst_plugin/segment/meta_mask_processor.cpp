#include "segment/meta_mask_processor.h"

#include <gst/video/video.h>

#include <optional>
#include <utility>

#include "gl/frame_reader.h"
#include "gl/gl_bridge.h"
#include "gl/gl_state_guard.h"
#include "gl/gpu_timer.h"
#include "segment/background_frame.h"
#include "segment/compositor.h"
#include "segment/log.h"
#include "segment/scene_picture.h"
#include "sightglass/gst/mask_meta.h"

#define GST_CAT_DEFAULT sightglass::segment_log()

namespace sightglass {

namespace {

// A mask mapped as a GL texture for reading, on the GL thread.
class ReadableMask {
 public:
  explicit ReadableMask(GstBuffer* mask)
      : mask_(mask),
        mapped_(gst_buffer_map(mask, &map_, static_cast<GstMapFlags>(GST_MAP_READ | GST_MAP_GL)) != FALSE) {}
  ~ReadableMask() {
    if (mapped_) gst_buffer_unmap(mask_, &map_);
  }
  ReadableMask(const ReadableMask&) = delete;
  ReadableMask& operator=(const ReadableMask&) = delete;

  bool ok() const { return mapped_ && gst_buffer_get_video_meta(mask_) != nullptr; }
  TextureRef texture() const {
    const GstVideoMeta* video = gst_buffer_get_video_meta(mask_);
    return {*reinterpret_cast<const GLuint*>(map_.data), GL_TEXTURE_2D, static_cast<int32_t>(video->width),
            static_cast<int32_t>(video->height)};
  }

 private:
  GstBuffer* mask_;
  GstMapInfo map_{};
  bool mapped_;
};

class MetaMaskProcessor : public FrameProcessor {
 public:
  MetaMaskProcessor(const GlTarget& target, const SegmentRuntime::Scene& scene, FrameReader reader,
                    Compositor compositor)
      : group_(target.group),
        gl_(group_->gl()),
        context_(target.context),
        kind_(target.frame),
        scene_(scene),
        reader_(std::move(reader)),
        compositor_(std::move(compositor)),
        timer_(gl_, target.device.es),
        nothing_(make_texture(gl_, GL_R8, 1, 1)) {}

  Status resize(int32_t width, int32_t height) override {
    width_ = width;
    height_ = height;
    picture_.forget();
    SIGHTGLASS_RETURN_IF_ERROR(compositor_.resize(width, height));
    const GlStateGuard guard(gl_, kind_);
    return compositor_.warm_up(nothing());
  }
  void forget() override {}
  Status process(FrameJob& job) override {
    SIGHTGLASS_RETURN_IF_ERROR(picture_.update(
        scene_, width_, height_,
        [this](const auto& pixels, const PicturePlace& place) { return compositor_.set_picture(pixels, place); }));
    const BackgroundFrame behind(job.input, context_);
    SIGHTGLASS_RETURN_IF_ERROR(behind.status());
    compositor_.set_video(behind.texture(), scene_.settings.background_fit);
    const OnFailure policy = scene_.settings.run.on_failure;
    job.failure = draw_with_mask(job);
    if (job.failure.ok()) return {};
    return policy == OnFailure::kError ? job.failure : conceal(job, policy);
  }
  uint64_t inferences() const override { return 0; }
  std::optional<GpuTime> poll_time() override {
    const std::optional<GpuTimer::Sample> sample = timer_.poll();
    if (!sample) return {};
    return GpuTime{0, sample->other_ns, sample->other_ns};
  }

 private:
  TextureRef nothing() const { return {nothing_.id(), GL_TEXTURE_2D, 1, 1}; }

  Status draw_with_mask(const FrameJob& job) {
    SightglassMaskMeta* meta = sightglass_buffer_get_mask_meta(job.input);
    if (meta == nullptr) {
      return invalid_argument(
          "mask-source=meta: the frame carries no mask; an element before, such as glpose attach-mask=true, attaches "
          "it");
    }
    SIGHTGLASS_RETURN_IF_ERROR(check_gl_memory(gst_buffer_peek_memory(meta->mask, 0), context_));
    GST_LOG_OBJECT(log_object(),
                   "frame %" G_GUINT64_FORMAT ": composited with the mask that it carries: %" GST_PTR_FORMAT,
                   job.number, meta->mask);
    wait_for_buffer(meta->mask, context_);
    const ReadableMask mask(meta->mask);
    if (!mask.ok()) return device_error("mask-source=meta: the mask cannot be mapped as a texture");
    // The mask covers the incoming frame, which may be rotated or cropped.
    const InputTransform in_picture{{meta->width, 0, meta->x, 0, meta->height, meta->y}};
    return draw(job, mask.texture(), in_picture.then(job.frame.upright_to_stored.inverse()), Coverage::kByMask);
  }

  Status draw(const FrameJob& job, const TextureRef& mask, const InputTransform& place, Coverage coverage) {
    const GlStateGuard guard(gl_, kind_);
    timer_.start();
    timer_.middle();
    Look look = scene_.settings.look_for({});
    look.coverage = coverage;
    SIGHTGLASS_ASSIGN_OR_RETURN(const FrameRef read, reader_.readable(job.frame.stored));
    clear_gl_errors(gl_);
    SIGHTGLASS_RETURN_IF_ERROR(compositor_.draw(read, job.frame.upright_to_stored, mask, place, job.output, look));
    timer_.end({});
    return check_gl(gl_, "drawing a frame with its mask");
  }

  Status conceal(const FrameJob& job, OnFailure policy) {
    if (policy != OnFailure::kBlack) {
      const bool pass = policy == OnFailure::kPass;
      if (draw(job, nothing(), {}, pass ? Coverage::kAllForeground : Coverage::kAllBackground).ok()) return {};
    }
    const GlStateGuard guard(gl_, kind_);
    return compositor_.draw_black(job.output);
  }

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
  int32_t width_ = 0, height_ = 0;
};

}  // namespace

Result<std::unique_ptr<FrameProcessor>> make_meta_mask_processor(const GlTarget& target,
                                                                 const SegmentSettings& settings,
                                                                 const SegmentRuntime::Scene& scene) {
  const GlStateGuard guard(target.group->gl(), target.frame);
  SIGHTGLASS_ASSIGN_OR_RETURN(FrameReader reader, FrameReader::create(target.group, target.device, target.frame));
  const FrameKind read = FrameReader::planned_kind(target.device, target.frame);
  SIGHTGLASS_ASSIGN_OR_RETURN(Compositor compositor,
                              Compositor::create(target.group, read, settings.refine.value_or(MatteDefaults().refine)));
  return std::unique_ptr<FrameProcessor>(
      std::make_unique<MetaMaskProcessor>(target, scene, std::move(reader), std::move(compositor)));
}

}  // namespace sightglass
