#include "model_runtime.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "gl_bridge.h"
#include "model_store.h"

namespace sightglass {

namespace {

uint64_t monotonic_ns() { return static_cast<uint64_t>(g_get_monotonic_time()) * 1000; }

void average(double& mean, uint64_t value) {
  constexpr double kShare = 0.1;
  mean = mean == 0 ? static_cast<double>(value) : mean + kShare * (static_cast<double>(value) - mean);
}

}  // namespace

std::optional<GpuTime> GpuTimes::add(const std::optional<GpuTimer::Sample>& sample) {
  if (!sample) return {};
  if (sample->model_share > 0) average(model_ns_, sample->model_ns);
  const uint64_t frame_ns = sample->model_ns + sample->other_ns;
  return GpuTime{model_ns_, frame_ns, frame_ns};
}

struct ModelRuntime::Job {
  ModelRuntime* runtime;
  GstGLContext* context;
  GstBuffer* input;
  GstBuffer* output;
  Orientation orientation;
  Status status;
};

Result<std::shared_ptr<const Plan>> GlTarget::plan(SharedModel& model, PlanOptions options) const {
  std::string note;
  SG_ASSIGN_OR_RETURN(options.tuning,
                      prepare_tuning(group, model.model(), device, options, tuning, cache_folder, {}, &note));
  if (!note.empty()) GST_WARNING("%s", note.c_str());
  return model.plan(device.limits, std::move(options));
}

ModelSettings ModelRuntime::settings() const {
  const std::lock_guard lock(settings_mutex_);
  return settings_;
}

bool ModelRuntime::set_property(guint id, const GValue* value) {
  const std::lock_guard lock(settings_mutex_);
  return id < kFirstOwnProperty ? set_model_property(settings_, id, value) : set_own_property(id, value);
}

bool ModelRuntime::get_property(guint id, GValue* value) const {
  const std::lock_guard lock(settings_mutex_);
  return id < kFirstOwnProperty ? get_model_property(settings_, id, value) : get_own_property(id, value);
}

Orientation ModelRuntime::orientation() const {
  const std::lock_guard lock(settings_mutex_);
  if (settings_.video_direction == GST_VIDEO_ORIENTATION_AUTO) return tags_.orientation();
  return to_orientation(settings_.video_direction).value_or(Orientation::kIdentity);
}

void ModelRuntime::forget_tags() {
  const std::lock_guard lock(settings_mutex_);
  tags_.forget();
}

bool ModelRuntime::read_tags(const GstTagList* tags) {
  const std::lock_guard lock(settings_mutex_);
  return tags_.read(tags) && settings_.video_direction == GST_VIDEO_ORIENTATION_AUTO;
}

Result<std::string> ModelRuntime::model_file(const ModelSettings& settings, const std::string& what) {
  if (settings.model.empty()) {
    return invalid_argument(
        "no model is set: model=FILE.tflite, or model=NAME of one that `sightglass models list` "
        "shows, is the " +
        what + " model to run; model=figure comes along");
  }
  return ModelStore().resolve(settings.model);
}

Status ModelRuntime::start(const std::string& element) {
  const ModelSettings settings = this->settings();
  SG_RETURN_IF_ERROR(load(settings));
  {
    const std::lock_guard lock(mutex_);
    loaded_ = true;
    cache_folder_ = settings.cache_folder();
    tuning_ = settings.tuning;
    title_ = element + " " + std::filesystem::path(settings.model).stem().string();
    input_.reset();
  }
  const std::lock_guard lock(stats_mutex_);
  stats_ = {};
  gpu_times_ = {};
  late_ns_ = 0;
  latency_ = {};
  latency_changed_ = false;
  failing_ = false;
  failure_.clear();
  return {};
}

void ModelRuntime::stop() {
  const std::lock_guard lock(mutex_);
  loaded_ = false;
  unload();
}

Status ModelRuntime::attach(GstGLContext* context) {
  detach();
  const uint64_t begin = monotonic_ns();
  const std::lock_guard lock(mutex_);
  if (!loaded_ || !input_) return {};
  SG_ASSIGN_OR_RETURN(const GlApi gl, load_gl_api(context));
  SG_ASSIGN_OR_RETURN(const DeviceInfo device, query_device(gl));
  const std::shared_ptr<ShareGroup> group = share_group_of(context, gl, cache_folder_);
  SG_ASSIGN_OR_RETURN(std::unique_ptr<FrameProcessor> processor,
                      create({context, group, device, input_->kind, tuning_, cache_folder_}));
  const FrameSize size = upright_size();
  SG_RETURN_IF_ERROR(processor->resize(size.width, size.height));
  sized_for_ = size;
  if (settings().hud) {
    SG_ASSIGN_OR_RETURN(hud_, ModelHud::create(group, title_));
  }
  processor_ = std::move(processor);
  group_ = group;
  built_for_ = input_->kind;
  context_ = GST_GL_CONTEXT(gst_object_ref(context));
  const std::lock_guard stats_lock(stats_mutex_);
  stats_.start_ns = monotonic_ns() - begin;
  return {};
}

void ModelRuntime::detach() {
  struct {
    std::shared_ptr<ShareGroup> group;
    std::unique_ptr<FrameProcessor> processor;
    std::unique_ptr<ModelHud> hud;
  } held;
  GstGLContext* context = nullptr;
  {
    const std::lock_guard lock(mutex_);
    held = {std::move(group_), std::move(processor_), std::move(hud_)};
    context = std::exchange(context_, nullptr);
  }
  if (context == nullptr) return;
  // Its objects belong to this context, which need not be the one that the caller is on.
  gst_gl_context_thread_add(
      context, [](GstGLContext*, gpointer data) { *static_cast<decltype(held)*>(data) = {}; }, &held);
  gst_object_unref(context);
}

Status ModelRuntime::set_caps(GstGLContext* context, const FrameFormat& input, const GstVideoInfo& output) {
  {
    const std::lock_guard lock(mutex_);
    input_ = input;
    output_ = output;
    // Tags in mid-stream have caps negotiated anew: nothing is forgotten for the same ones.
    if (processor_ != nullptr && built_for_ == input.kind) return follow_size();
  }
  return attach(context);
}

// Where pictures leave at the frame's size, caps have been negotiated for its orientation.
ModelRuntime::FrameSize ModelRuntime::upright_size() const {
  if (!own_size()) return {GST_VIDEO_INFO_WIDTH(&output_), GST_VIDEO_INFO_HEIGHT(&output_)};
  if (swaps_axes(orientation_)) return {input_->height, input_->width};
  return {input_->width, input_->height};
}

Status ModelRuntime::follow_size() {
  const FrameSize size = upright_size();
  if (size == sized_for_) return {};
  SG_RETURN_IF_ERROR(processor_->resize(size.width, size.height));
  sized_for_ = size;
  return {};
}

// Caps follow a new orientation with the next frame that is negotiated; a size of the element's own fits every one.
InputTransform ModelRuntime::upright_to_stored_in(GstBuffer* input, Orientation wanted) {
  const bool own = own_size().has_value();
  const auto fits = [this, own](Orientation orientation) {
    const bool swapped = swaps_axes(orientation);
    return own || ((swapped ? input_->height : input_->width) == GST_VIDEO_INFO_WIDTH(&output_) &&
                   (swapped ? input_->width : input_->height) == GST_VIDEO_INFO_HEIGHT(&output_));
  };
  if ((fits(wanted) || !fits(orientation_)) && std::exchange(orientation_, wanted) != wanted) processor_->forget();
  const CropRect seen = visible_part(input);
  return upright_to_stored(orientation_)
      .then(shown_to_stored(input))
      .then({{seen.width, 0, seen.x, 0, seen.height, seen.y}});
}

void ModelRuntime::forget() {
  const std::lock_guard lock(mutex_);
  if (processor_ != nullptr) processor_->forget();
}

void ModelRuntime::end_of_stream() {
  GstGLContext* context = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (context_ == nullptr) return;
    context = GST_GL_CONTEXT(gst_object_ref(context_));
  }
  gst_gl_context_thread_add(
      context,
      [](GstGLContext* current, gpointer data) {
        auto* that = static_cast<ModelRuntime*>(data);
        const std::lock_guard lock(that->mutex_);
        if (that->context_ == current) that->processor_->end_of_stream();
      },
      this);
  gst_object_unref(context);
}

bool ModelRuntime::is_ready() const {
  const std::lock_guard lock(mutex_);
  return context_ != nullptr;
}

Status ModelRuntime::process(GstBuffer* input, GstBuffer* output) {
  GstGLContext* context = nullptr;
  Status status;
  {
    const std::lock_guard lock(mutex_);
    if (context_ == nullptr) return internal_error("a frame arrived before the element was ready");
    context = GST_GL_CONTEXT(gst_object_ref(context_));
    status = check_frame(input, *input_, context);
  }
  Job job{this, context, input, output, orientation(), status};
  if (job.status.ok()) {
    const uint64_t begin = monotonic_ns();
    gst_gl_context_thread_add(
        context,
        [](GstGLContext*, gpointer data) {
          auto* that = static_cast<Job*>(data);
          that->runtime->run(*that);
        },
        &job);
    if (job.status.ok()) note_times(monotonic_ns() - begin);
  }
  gst_object_unref(context);
  return job.status;
}

void ModelRuntime::run(Job& job) {
  const std::lock_guard lock(mutex_);
  if (context_ != job.context) {
    job.status = internal_error("the GL context was replaced while a frame was on its way");
    return;
  }
  const uint64_t inferences = processor_->inferences();
  FrameJob frame;
  frame.input = job.input;
  frame.output_buffer = job.output;
  wait_for_buffer(job.input, job.context);
  {
    const MappedFrame input(job.input, *input_);
    const MappedTexture output(job.output, output_, GST_MAP_WRITE);
    if (!input.ok() || !output.ok()) {
      job.status = device_error(std::string("cannot map the ") + (input.ok() ? "output" : "input") + " texture");
      return;
    }
    frame.frame = input.frame();
    frame.upright_to_stored = upright_to_stored_in(job.input, job.orientation);
    frame.output = output.texture().id;
    job.status = follow_size();
    if (job.status.ok()) job.status = processor_->process(frame);
    if (job.status.ok()) job.status = draw_hud(frame, processor_->inferences() - inferences);
  }
  if (job.status.ok()) job.status = processor_->annotate(frame);
  // Its memory goes back to its pool, and may be written again, only when the output's reader is done with it as well.
  gst_buffer_add_parent_buffer_meta(job.output, job.input);
  signal_buffer(job.output, job.context);
  // Behind the signal: who shows the picture does not wait for this.
  if (job.status.ok()) job.status = processor_->finish(frame);
  note_work(frame, processor_->inferences() - inferences, processor_->skipped(takes_wish_for_skipped()),
            processor_->poll_time());
}

Status ModelRuntime::draw_hud(const FrameJob& job, uint64_t inferences) {
  const ModelSettings settings = this->settings();
  if (!settings.hud) return {};
  if (hud_ == nullptr) {
    SG_ASSIGN_OR_RETURN(hud_, ModelHud::create(group_, title_));
  }
  const TextureRef picture{job.output, GL_TEXTURE_2D, GST_VIDEO_INFO_WIDTH(&output_), GST_VIDEO_INFO_HEIGHT(&output_)};
  return hud_->draw(figures(), inferences, settings.hud_position, monotonic_ns(), picture);
}

bool ModelRuntime::takes_wish_for_skipped() {
  const std::lock_guard lock(stats_mutex_);
  return std::exchange(wants_skipped_, false);
}

void ModelRuntime::note_work(const FrameJob& job, uint64_t inferences, uint64_t skipped,
                             const std::optional<GpuTime>& time) {
  const std::lock_guard lock(stats_mutex_);
  stats_.skipped = skipped;
  stats_.inferences += inferences;
  if (!job.failure.ok()) {
    ++stats_.failures;
    if (!std::exchange(failing_, true)) failure_ = job.failure.message();
  } else if (inferences > 0) {
    failing_ = false;
  }
  if (!time) return;
  stats_.model_ns = time->model_ns;
  average(stats_.gpu_ns, time->frame_ns);
  average(late_ns_, time->late_ns);
  gpu_times_.add(time->frame_ns);
}

void ModelRuntime::note_times(uint64_t cpu_ns) {
  const std::lock_guard lock(stats_mutex_);
  if (++stats_.frames <= GpuTimer::kWarmUpFrames) return;
  average(stats_.cpu_ns, cpu_ns);
  // Issuing and executing overlap: the slower of the two is what the frame is late by.
  const uint64_t frame_ns = std::max(cpu_ns, static_cast<uint64_t>(late_ns_));
  if (latency_.add(frame_ns, monotonic_ns())) latency_changed_ = true;
}

void ModelRuntime::note_dropped() {
  const std::lock_guard lock(stats_mutex_);
  ++stats_.dropped;
}

ModelStats ModelRuntime::stats() const {
  {
    const std::lock_guard lock(stats_mutex_);
    wants_skipped_ = true;
  }
  return figures();
}

ModelStats ModelRuntime::figures() const {
  const std::lock_guard lock(stats_mutex_);
  ModelStats stats = stats_;
  stats.gpu_p50_ns = gpu_times_.at(50);
  stats.gpu_p95_ns = gpu_times_.at(95);
  stats.latency_ns = latency_.latency_ns();
  return stats;
}

bool ModelRuntime::take_latency_change() {
  const std::lock_guard lock(stats_mutex_);
  return std::exchange(latency_changed_, false);
}

std::string ModelRuntime::take_failure() {
  const std::lock_guard lock(stats_mutex_);
  return std::exchange(failure_, {});
}

}  // namespace sightglass
