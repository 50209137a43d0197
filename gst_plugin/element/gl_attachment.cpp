#include "element/gl_attachment.h"

#include <utility>

#include "element/model_element.h"
#include "gobject/log.h"
#include "gpu_engine/allocation_scope.h"
#include "gpu_engine/quoted.h"
#include "sightglass/cache_folder.h"

#define GST_CAT_DEFAULT sightglass::base_log()

namespace sightglass {

void GlAttachment::start(std::shared_ptr<const LoadedModel> model, const ElementSettings& settings,
                         const std::string& name) {
  const std::lock_guard lock(mutex_);
  model_ = std::move(model);
  cache_folder_ = settings.model.cache_folder();
  const Status usable = check_cache_folder(cache_folder_);
  cache_warning_ = usable.message();
  if (!usable.ok()) cache_folder_.clear();
  tuning_ = settings.model.tuning;
  name_ = name;
  title_ = hud_title(name, settings.model.model);
  placement_.forget_caps();
  frames_begun_ = 0;
  arrived_.clear();
  GST_DEBUG_OBJECT(log_object(), "cache: %s",
                   cache_folder_.empty() ? (usable.ok() ? "off" : cache_warning_.c_str()) : cache_folder_.c_str());
}

void GlAttachment::stop() {
  // Without the lock, because this waits for a thread that may wait for a GL thread.
  inputs_.stop();
  const std::lock_guard lock(mutex_);
  model_.reset();
}

std::shared_ptr<const LoadedModel> GlAttachment::model() const {
  const std::lock_guard lock(mutex_);
  return model_;
}

std::string GlAttachment::cache_warning() const {
  const std::lock_guard lock(mutex_);
  return cache_warning_;
}

Status GlAttachment::attach(GstGLContext* context) {
  detach();
  const uint64_t begin = gst_util_get_timestamp();
  const std::lock_guard lock(mutex_);
  if (model_ == nullptr || !placement_.has_caps()) {
    GST_DEBUG_OBJECT(log_object(), "not compiling yet: %s", model_ == nullptr ? "no model" : "no caps");
    return {};
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const GlApi gl, load_gl_api(context));
  SIGHTGLASS_ASSIGN_OR_RETURN(const DeviceInfo device, query_device(gl, engine_log()));
  const std::shared_ptr<ShareGroup> group = share_group_of(context, gl, cache_folder_);
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::shared_ptr<const ElementSettings> settings, element_.settings_on(device));
  const FrameKind kind = placement_.input().kind;
  const GlTarget target{context, group, device, kind, tuning_, cache_folder_};
  const AllocationScope allocations(gl);
  const CompileScope compiling(start_compiler_threads);
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<Effect> effect, model_->create_interim(target));
  const bool interim = effect != nullptr;
  if (!interim) {
    SIGHTGLASS_ASSIGN_OR_RETURN(effect, model_->create(target));
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(
      std::unique_ptr<EffectRunner> runner,
      EffectRunner::create(target, std::move(effect), element_.element(), settings->run.mask_sync));
  const FrameSize size = placement_.upright_size(element_.own_size().has_value());
  SIGHTGLASS_RETURN_IF_ERROR(runner->resize(size, *settings));
  sized_for_ = size;
  if (settings->model.draws_texts()) {
    SIGHTGLASS_ASSIGN_OR_RETURN(hud_, ModelHud::create(group, title_));
  }
  SIGHTGLASS_RETURN_IF_ERROR(allocations.check("allocating for the model"));
  runner_ = std::move(runner);
  inputs_.attach(context, group);
  group_ = group;
  built_for_ = kind;
  context_ = GST_GL_CONTEXT(gst_object_ref(context));
  interim_ = interim;
  failure_ = {};
  attached_at_ = begin;
  const uint64_t taken = gst_util_get_timestamp() - begin;
  element_.stats.note_start(interim ? 0 : taken);
  GST_INFO_OBJECT(log_object(), "ready for %dx%d frames, %s, in %.1f ms%s", size.width, size.height, to_string(kind),
                  static_cast<double>(taken) / GST_MSECOND,
                  interim ? ", without the model, which is still to be compiled" : "");
  return {};
}

void GlAttachment::detach() {
  std::shared_ptr<ShareGroup> group;
  std::unique_ptr<EffectRunner> runner;
  std::unique_ptr<ModelHud> hud;
  ContextRef context;
  {
    const std::lock_guard lock(mutex_);
    group = std::move(group_);
    runner = std::move(runner_);
    hud = std::move(hud_);
    context.reset(std::exchange(context_, nullptr));
  }
  if (context == nullptr) return;
  // The objects belong to this context, which may differ from the caller's.
  const std::vector<SharedResults> last = on_gl_thread(context.get(), [&] {
    std::vector<SharedResults> results;
    if (runner->results() != nullptr) results = runner->results()->finish();
    inputs_.detach();
    hud.reset();
    runner.reset();
    group.reset();
    return results;
  });
  const std::lock_guard lock(mutex_);
  note_arrived(last);
}

Status GlAttachment::set_caps(const FrameFormat& input, const GstVideoInfo& output) {
  const std::lock_guard lock(mutex_);
  placement_.set_caps(input, output);
  // Tags in mid-stream trigger renegotiation. If the frames stay the same, nothing is forgotten.
  return runner_ != nullptr && built_for_ == input.kind ? follow_size(*element_.frame_settings()) : Status();
}

Result<bool> GlAttachment::prepare(GstGLContext* context) {
  {
    const std::lock_guard lock(mutex_);
    if (!placement_.has_caps()) return false;
    if (context_ == context && built_for_ == placement_.input().kind) return true;
  }
  SIGHTGLASS_RETURN_IF_ERROR(on_gl_thread(context, [&] { return attach(context); }));
  const std::lock_guard lock(mutex_);
  return context_ != nullptr;
}

Status GlAttachment::follow_size(const ElementSettings& settings) {
  const FrameSize size = placement_.upright_size(element_.own_size().has_value());
  if (size == sized_for_) return {};
  GST_DEBUG_OBJECT(log_object(), "resizing from %dx%d to %dx%d, shown as %dx%d", sized_for_.width, sized_for_.height,
                   size.width, size.height, size.shown_width(), size.height);
  const AllocationScope allocations(group_->gl());
  SIGHTGLASS_RETURN_IF_ERROR(runner_->resize(size, settings));
  SIGHTGLASS_RETURN_IF_ERROR(allocations.check("allocating for the new size"));
  sized_for_ = size;
  return {};
}

void GlAttachment::forget() {
  GST_DEBUG_OBJECT(log_object(), "new scene: forgetting earlier frames");
  const std::lock_guard lock(mutex_);
  if (runner_ != nullptr) runner_->forget();
}

void GlAttachment::release_inputs() {
  ContextRef context;
  {
    const std::lock_guard lock(mutex_);
    if (context_ == nullptr) return;
    context = ref(context_);
  }
  on_gl_thread(context.get(), [&] {
    const std::lock_guard lock(mutex_);
    if (context_ == context.get()) inputs_.wait();
  });
  inputs_.release_all();
}

Result<FrameTicket> GlAttachment::process(GstBuffer* input, GstBuffer* output,
                                          std::shared_ptr<const ElementSettings> settings) {
  ContextRef context;
  {
    const std::lock_guard lock(mutex_);
    if (context_ == nullptr) return internal_error("a frame arrived before the element was ready");
    context = ref(context_);
    if (Status status = check_frame(input, placement_.input(), context.get()); !status.ok()) {
      inputs_.release_read();
      return status;
    }
  }
  const uint64_t begin = gst_util_get_timestamp();
  const Orientation wanted = element_.settings.orientation();
  FrameJob job;
  job.settings = std::move(settings);
  job.input = input;
  job.output_buffer = output;
  job.time = GST_BUFFER_PTS(input);
  Result<FrameTicket> ticket = on_gl_thread(context.get(), [&] { return issue(context.get(), job, wanted); });
  if (const uint64_t now = gst_util_get_timestamp(); ticket.ok()) element_.stats.note_frame(now - begin, now);
  inputs_.release_read();
  return ticket;
}

Result<FrameTicket> GlAttachment::issue(GstGLContext* context, FrameJob& job, Orientation wanted) try {
  const std::lock_guard lock(mutex_);
  if (context_ != context) return internal_error("the GL context was replaced while a frame was in flight");
  inputs_.poll();
  const uint64_t inferences = runner_->inferences();
  job.number = frames_begun_++;
  job.counts_skipped = element_.stats.take_request_for_skipped();
  job.objects_wanted = element_.objects_wanted;
  wait_for_buffer(job.input, context);
  Status status;
  {
    const MappedFrame read(job.input, placement_.input());
    const MappedTexture drawn(job.output_buffer, placement_.output(), GST_MAP_WRITE);
    if (!read.ok() || !drawn.ok()) {
      return device_error(std::string("cannot map the ") + (read.ok() ? "output" : "input") + " texture");
    }
    job.output = drawn.texture().id;
    job.output_size = placement_.output_size();
    if (placement_.turn(wanted, element_.own_size().has_value())) {
      GST_DEBUG_OBJECT(log_object(), "orientation changed: restarting smoothing");
      runner_->forget();
    }
    status = follow_size(*job.settings);
    job.frame = {read.frame(), placement_.upright_to_stored_in(job.input), sized_for_.width, sized_for_.height,
                 sized_for_.pixel_aspect};
    if (status.ok()) status = runner_->process(job);
    if (status.ok()) status = draw_hud(job, runner_->inferences() - inferences);
    job.kept.reset();
  }
  if (status.ok()) status = runner_->annotate(job);
  // The input memory may return to its pool, and be overwritten, only after the GPU has read it.
  if (!inputs_.hold(job.input)) gst_buffer_add_parent_buffer_meta(job.output_buffer, job.input);
  signal_buffer(job.output_buffer, context);
  // After the signal, so that showing the frame does not wait for this.
  if (ResultsReadback* results = runner_->results()) note_arrived(results->collect());
  if (status.ok()) status = runner_->finish(job);
  element_.stats.note_work(
      {runner_->inferences() - inferences, runner_->skipped(), runner_->poll_time(), interim_, job.failure.message()});
  SIGHTGLASS_RETURN_IF_ERROR(status);
  return FrameTicket{job.number, GST_VIDEO_INFO_WIDTH(&placement_.output()),
                     GST_VIDEO_INFO_HEIGHT(&placement_.output()), job.awaits_results};
} catch (...) {
  return status_of_exception(title_, "process a frame");
}

Status GlAttachment::draw_hud(const FrameJob& job, uint64_t inferences) {
  if (!job.settings->model.draws_texts()) return {};
  if (hud_ == nullptr) {
    const AllocationScope allocations(group_->gl());
    SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<ModelHud> hud, ModelHud::create(group_, title_));
    SIGHTGLASS_RETURN_IF_ERROR(allocations.check("allocating for the text over frames"));
    hud_ = std::move(hud);
  }
  const TextureRef picture{job.output, GL_TEXTURE_2D, GST_VIDEO_INFO_WIDTH(&placement_.output()),
                           GST_VIDEO_INFO_HEIGHT(&placement_.output())};
  const int32_t shown_width = element_.own_size() ? picture.width : job.frame.shown_width();
  return hud_->draw(job.settings->model, element_.stats.snapshot(), inferences, gst_util_get_timestamp(), picture,
                    shown_width);
}

// Results on their way from the GPU to the streaming thread.

std::vector<SharedResults> GlAttachment::take_results() {
  const std::lock_guard lock(mutex_);
  return std::exchange(arrived_, {});
}

std::vector<SharedResults> GlAttachment::await_results(ResultsWait what) {
  ContextRef context;
  {
    const std::lock_guard lock(mutex_);
    if (context_ != nullptr && runner_->results() != nullptr) context = ref(context_);
  }
  if (context == nullptr) return take_results();
  on_gl_thread(context.get(), [&] {
    const std::lock_guard lock(mutex_);
    if (context_ != context.get()) return;
    ResultsReadback& results = *runner_->results();
    note_arrived(what == ResultsWait::kAll      ? results.finish()
                 : what == ResultsWait::kOldest ? results.wait()
                                                : results.collect());
  });
  return take_results();
}

void GlAttachment::drop_results() {
  const std::lock_guard lock(mutex_);
  arrived_.clear();
  if (runner_ != nullptr && runner_->results() != nullptr) runner_->results()->forget();
}

void GlAttachment::note_arrived(const std::vector<SharedResults>& results) {
  if (!results.empty()) GST_LOG_OBJECT(log_object(), "results of %" G_GSIZE_FORMAT " frames arrived", results.size());
  arrived_.insert(arrived_.end(), results.begin(), results.end());
}

// Models that are prepared while frames flow.

std::optional<FramePlace> GlAttachment::place() const {
  const std::lock_guard lock(mutex_);
  if (context_ == nullptr) return {};
  return FramePlace{ref(context_),     built_for_, sized_for_, tuning_, cache_folder_, element_.frame_settings(),
                    element_.element()};
}

bool GlAttachment::is_interim() const {
  const std::lock_guard lock(mutex_);
  return interim_ && context_ != nullptr;
}

Status GlAttachment::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

// Otherwise the model is prepared again for the new context or frames.
void GlAttachment::fail_interim(const FramePlace& place, const Status& failure) {
  const std::lock_guard lock(mutex_);
  if (context_ == place.context.get() && built_for_ == place.kind) failure_ = failure;
}

uint64_t GlAttachment::time_since_attach() const {
  const std::lock_guard lock(mutex_);
  return gst_util_get_timestamp() - attached_at_;
}

bool GlAttachment::take_over(ReadyModel& ready, const std::optional<std::string>& name) {
  const bool done = on_gl_thread(ready.context.get(), [&] {
    const std::lock_guard lock(mutex_);
    if (context_ != ready.context.get() || built_for_ != ready.kind) return false;
    if (ResultsReadback* results = runner_->results()) note_arrived(results->finish());
    runner_ = std::move(ready.runner);
    interim_ = false;
    const std::string title = hud_title(name_, name);
    if (std::exchange(title_, title) != title) hud_.reset();
    model_ = std::move(ready.model);
    sized_for_ = ready.size;
    return true;
  });
  if (done) element_.stats.note_change(ready.prepared_ns);
  return done;
}

}  // namespace sightglass
