#include "segment_runtime.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "gl_bridge.h"
#include "model_store.h"
#include "orientation.h"

namespace sightglass {

namespace {

uint64_t monotonic_ns() { return static_cast<uint64_t>(g_get_monotonic_time()) * 1000; }

void average(double& mean, uint64_t value) {
  constexpr double kShare = 0.1;
  mean = mean == 0 ? static_cast<double>(value) : mean + kShare * (static_cast<double>(value) - mean);
}

}  // namespace

struct SegmentRuntime::Job {
  SegmentRuntime* runtime;
  GstGLContext* context;
  GstBuffer* input;
  GstBuffer* output;
  const SegmentSettings* settings;
  Orientation orientation;
  Status status;
};

Status SegmentRuntime::start(const SegmentSettings& settings) {
  if (settings.model.empty()) {
    return invalid_argument(
        "no model is set: model=FILE.tflite, or model=NAME of one that `sightglass models list` shows, is the "
        "segmentation model to run; model=figure comes along");
  }
  SG_ASSIGN_OR_RETURN(const std::string file, ModelStore().resolve(settings.model));
  SG_ASSIGN_OR_RETURN(const MaskModelOptions options, settings.mask_model_options());
  SG_ASSIGN_OR_RETURN(std::shared_ptr<SharedModel> model, SharedModel::load(file, options));
  // The real device is not known yet, but what the least of them can do, every one can.
  const DeviceLimits limits;
  SG_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, model->plan(limits));
  if (settings.look.background == Background::kImage && settings.background_location.empty()) {
    return invalid_argument("background=image needs a picture: set background-location=FILE");
  }
  {
    const std::lock_guard lock(mutex_);
    model_ = std::move(model);
    plan_ = std::move(plan);
    cache_folder_ = settings.cache_folder();
    tuning_ = static_cast<TuningMode>(settings.tuning);
    refine_ = settings.refine;
    measures_model_ = settings.mask_sync == MaskSync::kLatest;
    attach_mask_ = settings.attach_mask;
    input_.reset();
  }
  {
    const std::lock_guard lock(stats_mutex_);
    stats_ = {};
    draw_ns_ = 0;
    latency_ = {};
    latency_changed_ = false;
  }
  return update_picture(settings);
}

std::string SegmentRuntime::fallback_warning() const {
  const std::lock_guard lock(mutex_);
  return plan_ && !plan_->fallback().operators.empty() ? plan_->fallback().warning() : std::string();
}

void SegmentRuntime::stop() {
  const std::lock_guard lock(mutex_);
  model_.reset();
  plan_.reset();
  picture_.reset();
  picture_location_.clear();
}

Status SegmentRuntime::attach(GstGLContext* context) {
  detach();
  const uint64_t begin = monotonic_ns();
  const std::lock_guard lock(mutex_);
  if (!model_ || !input_) return {};
  SG_ASSIGN_OR_RETURN(const GlApi gl, load_gl_api(context));
  SG_ASSIGN_OR_RETURN(const DeviceInfo device, query_device(gl));
  const std::shared_ptr<ShareGroup> group = share_group_of(context, gl, cache_folder_);
  std::string note;
  const MaskModel& mask = model_->mask();
  SG_ASSIGN_OR_RETURN(const auto tuning,
                      prepare_tuning(group, mask.model, device, mask.plan_options, tuning_, cache_folder_, {}, &note));
  if (!note.empty()) GST_WARNING("%s", note.c_str());
  SG_ASSIGN_OR_RETURN(plan_, model_->plan(device.limits, tuning, Segmenter::planned_kind(device, input_->kind)));
  SG_ASSIGN_OR_RETURN(segmenter_, Segmenter::create(group, device, plan_, mask.output, input_->kind, refine_));
  built_for_ = input_->kind;
  context_ = GST_GL_CONTEXT(gst_object_ref(context));
  if (attach_mask_) {
    const TextureRef& texture = segmenter_->mask();
    SG_ASSIGN_OR_RETURN(masks_, MaskAttachment::create(context, group, texture.width, texture.height));
  }
  SG_RETURN_IF_ERROR(segmenter_->resize(GST_VIDEO_INFO_WIDTH(&output_), GST_VIDEO_INFO_HEIGHT(&output_)));
  picture_uploaded_ = false;
  if (measures_model_) SG_RETURN_IF_ERROR(segmenter_->measure_model());
  const std::lock_guard stats_lock(stats_mutex_);
  stats_.start_ns = monotonic_ns() - begin;
  return {};
}

void SegmentRuntime::detach() {
  struct {
    std::unique_ptr<Segmenter> segmenter;
    std::unique_ptr<MaskAttachment> masks;
  } held;
  GstGLContext* context = nullptr;
  {
    const std::lock_guard lock(mutex_);
    held = {std::move(segmenter_), std::move(masks_)};
    context = std::exchange(context_, nullptr);
  }
  if (context == nullptr) return;
  // Its objects belong to this context, which need not be the one that the caller is on.
  gst_gl_context_thread_add(
      context, [](GstGLContext*, gpointer data) { *static_cast<decltype(held)*>(data) = {}; }, &held);
  gst_object_unref(context);
}

Status SegmentRuntime::set_caps(GstGLContext* context, const FrameFormat& input, const GstVideoInfo& output) {
  {
    const std::lock_guard lock(mutex_);
    input_ = input;
    output_ = output;
    if (segmenter_ != nullptr && built_for_ == input.kind) {
      picture_uploaded_ = false;
      return segmenter_->resize(GST_VIDEO_INFO_WIDTH(&output), GST_VIDEO_INFO_HEIGHT(&output));
    }
  }
  return attach(context);
}

Status SegmentRuntime::update_picture(const SegmentSettings& settings) {
  if (settings.look.background != Background::kImage) return {};
  const std::lock_guard lock(mutex_);
  if (settings.background_location == picture_location_) return {};
  picture_location_ = settings.background_location;  // also when it fails: one warning is enough
  SG_ASSIGN_OR_RETURN(picture_, Picture::load(settings.background_location));
  picture_uploaded_ = false;
  return {};
}

Status SegmentRuntime::upload_picture() {
  if (picture_ == nullptr || picture_uploaded_) return {};
  picture_uploaded_ = true;
  SG_ASSIGN_OR_RETURN(const std::vector<std::byte> pixels,
                      picture_->cover(GST_VIDEO_INFO_WIDTH(&output_), GST_VIDEO_INFO_HEIGHT(&output_)));
  return segmenter_->set_picture(pixels);
}

// Caps follow a new orientation with the next frame that is negotiated.
InputTransform SegmentRuntime::upright_to_stored_in(GstBuffer* input, Orientation wanted) {
  const auto fits = [this](Orientation orientation) {
    const bool swapped = swaps_axes(orientation);
    return (swapped ? input_->height : input_->width) == GST_VIDEO_INFO_WIDTH(&output_) &&
           (swapped ? input_->width : input_->height) == GST_VIDEO_INFO_HEIGHT(&output_);
  };
  if (fits(wanted) || !fits(orientation_)) orientation_ = wanted;
  const CropRect seen = visible_part(input);
  return upright_to_stored(orientation_)
      .then(shown_to_stored(input))
      .then({{seen.width, 0, seen.x, 0, seen.height, seen.y}});
}

void SegmentRuntime::forget_mask() {
  const std::lock_guard lock(mutex_);
  if (segmenter_ != nullptr) segmenter_->forget_mask();
}

Status SegmentRuntime::process(GstBuffer* input, GstBuffer* output, const SegmentSettings& settings,
                               Orientation orientation) {
  GstGLContext* context = nullptr;
  Status status;
  {
    const std::lock_guard lock(mutex_);
    if (context_ == nullptr) return internal_error("a frame arrived before the element was ready");
    context = GST_GL_CONTEXT(gst_object_ref(context_));
    status = check_frame(input, *input_, context);
  }
  Job job{this, context, input, output, &settings, orientation, status};
  if (job.status.ok()) {
    const uint64_t begin = monotonic_ns();
    gst_gl_context_thread_add(
        context,
        [](GstGLContext*, gpointer data) {
          auto* that = static_cast<Job*>(data);
          that->runtime->run(*that);
        },
        &job);
    if (job.status.ok()) note_times(monotonic_ns() - begin, settings.mask_sync);
  }
  gst_object_unref(context);
  return job.status;
}

void SegmentRuntime::run(Job& job) {
  const std::lock_guard lock(mutex_);
  if (context_ != job.context) {
    job.status = internal_error("the GL context was replaced while a frame was on its way");
    return;
  }
  const bool latest = job.settings->mask_sync == MaskSync::kLatest;
  const bool due = !segmenter_->has_mask() || since_inference_ >= job.settings->inference_interval;
  const bool ahead = segmenter_->has_mask() && (latest || !due);
  // What is due while a run is under way begins behind it.
  const bool begins = due && (!ahead || !segmenter_->is_running());
  since_inference_ = begins ? 1 : since_inference_ + 1;
  const uint64_t inferences = segmenter_->inferences();
  wait_for_buffer(job.input, job.context);
  {
    const MappedFrame input(job.input, *input_);
    const MappedTexture output(job.output, output_, GST_MAP_WRITE);
    if (!input.ok() || !output.ok()) {
      job.status = device_error(std::string("cannot map the ") + (input.ok() ? "output" : "input") + " texture");
      return;
    }
    job.status = upload_picture();
    if (job.status.ok()) {
      const InputTransform to_stored = upright_to_stored_in(job.input, job.orientation);
      const auto& [fit, look] = std::tie(job.settings->fit, job.settings->look);
      const GLuint target = output.texture().id;
      job.status = ahead ? segmenter_->draw_ahead(input.frame(), to_stored, target, fit, look, due)
                         : segmenter_->render(input.frame(), to_stored, target, fit, look);
    }
  }
  if (job.status.ok() && masks_ != nullptr) {
    job.status = masks_->attach(job.output, GST_VIDEO_INFO_WIDTH(&output_), GST_VIDEO_INFO_HEIGHT(&output_),
                                segmenter_->mask(), segmenter_->mask_place(), job.settings->look.threshold);
  }
  // Its memory goes back to its pool, and may be written again, only when the output's reader is done with it as well.
  gst_buffer_add_parent_buffer_meta(job.output, job.input);
  signal_buffer(job.output, job.context);
  // Behind the signal: who shows the picture does not wait for this.
  if (ahead && job.status.ok()) job.status = segmenter_->advance(job.settings->gpu_budget_ns);

  const std::optional<GpuTimer::Sample> time = segmenter_->poll_time();
  const std::lock_guard stats_lock(stats_mutex_);
  stats_.inferences += segmenter_->inferences() - inferences;
  if (!time) return;
  stats_.model_ns = segmenter_->model_ns();
  average(stats_.gpu_ns, time->model_ns + time->other_ns);
  average(draw_ns_, time->other_ns);
}

void SegmentRuntime::note_times(uint64_t cpu_ns, MaskSync mask_sync) {
  const std::lock_guard lock(stats_mutex_);
  if (++stats_.frames <= Segmenter::kWarmUpFrames) return;
  average(stats_.cpu_ns, cpu_ns);
  // Issuing and executing overlap: the slower of the two is what the frame is late by.
  const double gpu_ns = mask_sync == MaskSync::kLatest ? draw_ns_ : stats_.gpu_ns;
  const uint64_t frame_ns = std::max(cpu_ns, static_cast<uint64_t>(gpu_ns));
  if (latency_.add(frame_ns, monotonic_ns())) latency_changed_ = true;
}

SegmentStats SegmentRuntime::stats() const {
  const std::lock_guard lock(stats_mutex_);
  return stats_;
}

uint64_t SegmentRuntime::latency_ns() const {
  const std::lock_guard lock(stats_mutex_);
  return latency_.latency_ns();
}

bool SegmentRuntime::take_latency_change() {
  const std::lock_guard lock(stats_mutex_);
  return std::exchange(latency_changed_, false);
}

}  // namespace sightglass
