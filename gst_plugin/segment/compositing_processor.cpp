#include "segment/compositing_processor.h"

#include <gst/video/video.h>

#include <utility>

#include "gl/gl_bridge.h"
#include "gl/gl_state_guard.h"
#include "gobject/log.h"
#include "sightglass/gst/mask_meta.h"

#define GST_CAT_DEFAULT sightglass::segment_log()

namespace sightglass {

BackgroundFrame::BackgroundFrame(GstBuffer* input, GstGLContext* context) {
  const BackgroundMeta* meta = background_meta_of(input);
  if (meta == nullptr) return;
  status_ = check_gl_memory(gst_buffer_peek_memory(meta->frame, 0), context);
  if (!status_.ok()) return;
  wait_for_buffer(meta->frame, context);
  pixel_aspect_ =
      static_cast<float>(GST_VIDEO_INFO_PAR_N(&meta->info)) / static_cast<float>(GST_VIDEO_INFO_PAR_D(&meta->info));
  mapped_.emplace(meta->frame, meta->info, GST_MAP_READ);
  if (mapped_->ok()) return;
  mapped_.reset();
  status_ = device_error("the background's frame cannot be mapped as a texture");
}

CompositingProcessor::CompositingProcessor(const GlTarget& target, const SegmentRuntime::Scene& scene,
                                           FrameReader reader, Compositor compositor)
    : group_(target.group),
      gl_(group_->gl()),
      context_(target.context),
      kind_(target.frame),
      scene_(scene),
      reader_(std::move(reader)),
      compositor_(std::move(compositor)),
      timer_(gl_, target.device.es),
      nothing_(make_texture(gl_, GL_R8, 1, 1)) {}

std::optional<GpuTime> CompositingProcessor::poll_time() {
  const std::optional<GpuTimer::Sample> sample = timer_.poll();
  if (!sample) return {};
  return GpuTime{0, sample->other_ns, sample->other_ns};
}

Status CompositingProcessor::set_size(const FrameSize& size) {
  size_ = size;
  picture_.forget();
  return compositor_.resize(size.width, size.height, size.pixel_aspect);
}

Status CompositingProcessor::update_picture() {
  return picture_.update(scene_, size_, [this](const auto& pixels, const PicturePlace& place) {
    return compositor_.set_picture(pixels, place);
  });
}

Status CompositingProcessor::draw(const FrameJob& job, const TextureRef& mask, const InputTransform& place,
                                  const SegmentLook& look, const char* task) {
  const GlStateGuard guard(gl_, kind_);
  timer_.start();
  timer_.middle();
  clear_gl_errors(gl_);
  SIGHTGLASS_ASSIGN_OR_RETURN(const FrameRef read, reader_.readable(job.frame.stored));
  SIGHTGLASS_RETURN_IF_ERROR(compositor_.draw(read, job.frame.upright_to_stored, mask, place, job.output, look));
  timer_.end({});
  return check_gl(gl_, task);
}

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

class MetaMaskProcessor : public CompositingProcessor {
 public:
  MetaMaskProcessor(const GlTarget& target, const SegmentRuntime::Scene& scene, FrameReader reader,
                    Compositor compositor)
      : CompositingProcessor(target, scene, std::move(reader), std::move(compositor)) {}

  Status resize(const FrameSize& size) override {
    SIGHTGLASS_RETURN_IF_ERROR(set_size(size));
    if (std::exchange(warm_, true)) return {};
    const GlStateGuard guard(gl(), kind());
    return compositor().warm_up(nothing(), size.width, size.height, size.pixel_aspect);
  }
  Status process(FrameJob& job) override {
    SIGHTGLASS_RETURN_IF_ERROR(update_picture());
    const BackgroundFrame behind(job.input, context());
    SIGHTGLASS_RETURN_IF_ERROR(behind.status());
    compositor().set_video(behind.texture(), behind.pixel_aspect(), scene().settings.background_fit);
    const OnFailure policy = scene().settings.run.on_failure;
    job.failure = draw_with_mask(job);
    if (job.failure.ok()) return {};
    return policy == OnFailure::kError ? job.failure : conceal(job, policy);
  }

 private:
  Status draw_with_mask(const FrameJob& job) {
    SightglassMaskMeta* meta = sightglass_buffer_get_mask_meta(job.input);
    if (meta == nullptr) {
      return invalid_argument(
          "mask-source=meta: the frame carries no mask; an element before, such as glpose attach-mask=true, attaches "
          "it");
    }
    SIGHTGLASS_RETURN_IF_ERROR(check_gl_memory(gst_buffer_peek_memory(meta->mask, 0), context()));
    GST_LOG_OBJECT(log_object(),
                   "frame %" G_GUINT64_FORMAT ": composited with the mask that it carries: %" GST_PTR_FORMAT,
                   job.number, meta->mask);
    wait_for_buffer(meta->mask, context());
    const ReadableMask mask(meta->mask);
    if (!mask.ok()) return device_error("mask-source=meta: the mask cannot be mapped as a texture");
    // The mask covers the incoming frame, which may be rotated or cropped.
    const InputTransform in_picture{{meta->width, 0, meta->x, 0, meta->height, meta->y}};
    return draw_covered(job, mask.texture(), in_picture.then(job.frame.upright_to_stored.inverse()), Coverage::kByMask);
  }

  Status draw_covered(const FrameJob& job, const TextureRef& mask, const InputTransform& place, Coverage coverage) {
    SegmentLook look = scene().settings.look_for({});
    look.coverage = coverage;
    return draw(job, mask, place, look, "drawing a frame with its mask");
  }

  Status conceal(const FrameJob& job, OnFailure policy) {
    if (policy != OnFailure::kBlack) {
      const bool pass = policy == OnFailure::kPass;
      if (draw_covered(job, nothing(), {}, pass ? Coverage::kAllForeground : Coverage::kAllBackground).ok()) return {};
    }
    const GlStateGuard guard(gl(), kind());
    return compositor().draw_black(job.output);
  }

  bool warm_ = false;  // the compositor has drawn
};

}  // namespace

Result<std::unique_ptr<FrameProcessor>> make_meta_mask_processor(const GlTarget& target,
                                                                 const SegmentSettings& settings,
                                                                 const SegmentRuntime::Scene& scene) {
  const GlStateGuard guard(target.group->gl(), target.frame);
  SIGHTGLASS_ASSIGN_OR_RETURN(FrameReader reader, FrameReader::create(target.group, target.device, target.frame));
  const FrameKind read = FrameReader::planned_kind(target.device, target.frame);
  SIGHTGLASS_ASSIGN_OR_RETURN(Compositor compositor, Compositor::create(target.group, read, settings.refine_for({})));
  return std::make_unique<MetaMaskProcessor>(target, scene, std::move(reader), std::move(compositor));
}

}  // namespace sightglass
