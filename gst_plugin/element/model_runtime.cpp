#include "element/model_runtime.h"

#include <utility>

#include "draw/text_atlas.h"
#include "element/model_change.h"
#include "gl/gl_bridge.h"
#include "gobject/log.h"
#include "gobject/properties.h"
#include "gpu_engine/allocation_scope.h"
#include "gpu_engine/quoted.h"
#include "model_store.h"
#include "sightglass/cache_folder.h"

#define GST_CAT_DEFAULT sightglass::base_log()

namespace sightglass {

ModelRuntime::ModelRuntime() = default;
ModelRuntime::~ModelRuntime() = default;

// Title of the HUD.
std::string ModelRuntime::title_of(const std::string& element, const std::optional<std::string>& model) {
  return element + " " + model_title(model.value_or(""));
}

ModelSettings ModelRuntime::settings() const {
  const std::lock_guard lock(settings_mutex_);
  return settings_;
}

Status ModelRuntime::set_property(guint id, const GParamSpec& spec, const GValue* value, GstState state) {
  const std::lock_guard lock(settings_mutex_);
  const auto current = [&](GValue* read) { return get_property_locked(id, read); };
  SIGHTGLASS_RETURN_IF_ERROR(may_set(spec, current, value, started_, state));
  return id < kFirstOwnProperty ? model_properties().set(settings_, id, value) : set_own_property(id, value);
}

bool ModelRuntime::get_property(guint id, GValue* value) const {
  const std::lock_guard lock(settings_mutex_);
  return get_property_locked(id, value);
}

bool ModelRuntime::get_property_locked(guint id, GValue* value) const {
  return id < kFirstOwnProperty ? model_properties().get(settings_, id, value) : get_own_property(id, value);
}

std::string ModelRuntime::model_name() const {
  const std::lock_guard lock(settings_mutex_);
  return model_name_.value_or("");
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
  if (settings.model.value_or("").empty()) {
    return invalid_argument("no model is set; set model to a " + what +
                            " model: FILE.tflite, a name from `sightglass models list`, or the bundled figure");
  }
  return ModelStore().resolve(*settings.model);
}

Status ModelRuntime::start(const std::string& element) {
  const Stopwatch time;
  ModelSettings settings;
  {
    const std::lock_guard lock(settings_mutex_);
    settings = settings_;
    model_name_ = settings.model;
    started_ = true;
  }
  // Also runs if loading throws.
  struct Undo {
    ModelRuntime* runtime;
    ~Undo() {
      if (runtime == nullptr) return;
      runtime->end();
      const std::lock_guard lock(runtime->settings_mutex_);
      runtime->started_ = false;
    }
  } undo{this};
  SIGHTGLASS_RETURN_IF_ERROR(begin());
  SIGHTGLASS_ASSIGN_OR_RETURN(std::shared_ptr<const LoadedModel> model, load(settings));
  adopt(model);
  undo.runtime = nullptr;
  {
    const std::lock_guard lock(mutex_);
    model_ = std::move(model);
    cache_folder_ = settings.cache_folder();
    const Status usable = check_cache_folder(cache_folder_);
    cache_warning_ = usable.message();
    if (!usable.ok()) cache_folder_.clear();
    tuning_ = settings.tuning;
    element_ = element;
    title_ = title_of(element, settings.model);
    input_.reset();
    frames_begun_ = 0;
    arrived_.clear();
    GST_INFO_OBJECT(log_object(), "model %s loaded in %s", settings.model.value_or("(none)").c_str(),
                    time.text().c_str());
    GST_DEBUG_OBJECT(log_object(), "cache: %s",
                     cache_folder_.empty() ? (usable.ok() ? "off" : cache_warning_.c_str()) : cache_folder_.c_str());
  }
  stats_.restart();
  return {};
}

std::vector<std::string> ModelRuntime::warnings() const {
  const std::lock_guard lock(mutex_);
  if (model_ == nullptr) return {};
  std::vector<std::string> warnings = model_->warnings();
  const ModelSettings settings = this->settings();
  if (!settings.draws_texts()) return warnings;
  if (auto missing = missing_font_warning(settings.hud ? "hud=true" : "notice"))
    warnings.push_back(std::move(*missing));
  return warnings;
}

std::string ModelRuntime::cache_warning() const {
  const std::lock_guard lock(mutex_);
  return cache_warning_;
}

void ModelRuntime::stop() {
  // Without the lock, because this waits for a thread that may wait for a GL thread.
  inputs_.stop();
  {
    const std::lock_guard lock(mutex_);
    model_.reset();
  }
  adopt(nullptr);
  end();
  const std::lock_guard lock(settings_mutex_);
  started_ = false;
}

Status ModelRuntime::attach(GstGLContext* context) {
  detach();
  const uint64_t begin = gst_util_get_timestamp();
  const std::lock_guard lock(mutex_);
  if (model_ == nullptr || !input_) {
    GST_DEBUG_OBJECT(log_object(), "not compiling yet: %s", model_ == nullptr ? "no model" : "no caps");
    return {};
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const GlApi gl, load_gl_api(context));
  SIGHTGLASS_ASSIGN_OR_RETURN(const DeviceInfo device, query_device(gl, engine_log()));
  const std::shared_ptr<ShareGroup> group = share_group_of(context, gl, cache_folder_);
  SIGHTGLASS_RETURN_IF_ERROR(on_device(device));
  const GlTarget target{context, group, device, input_->kind, tuning_, cache_folder_};
  const AllocationScope allocations(gl);
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<FrameProcessor> processor, model_->create_interim(target));
  const bool interim = processor != nullptr;
  if (!interim) {
    SIGHTGLASS_ASSIGN_OR_RETURN(processor, model_->create(target));
  }
  const FrameSize size = upright_size();
  SIGHTGLASS_RETURN_IF_ERROR(processor->resize(size));
  sized_for_ = size;
  if (settings().draws_texts()) {
    SIGHTGLASS_ASSIGN_OR_RETURN(hud_, ModelHud::create(group, title_));
  }
  SIGHTGLASS_RETURN_IF_ERROR(allocations.check("allocating for the model"));
  processor_ = std::move(processor);
  inputs_.attach(context, group);
  group_ = group;
  built_for_ = input_->kind;
  context_ = GST_GL_CONTEXT(gst_object_ref(context));
  interim_ = interim;
  start_failure_ = {};
  attached_at_ = begin;
  const uint64_t taken = gst_util_get_timestamp() - begin;
  stats_.note_start(interim ? 0 : taken);
  GST_INFO_OBJECT(log_object(), "ready for %dx%d frames, %s, in %.1f ms%s", size.width, size.height,
                  to_string(input_->kind), static_cast<double>(taken) / GST_MSECOND,
                  interim ? ", without the model, which is still to be compiled" : "");
  return {};
}

void ModelRuntime::detach() {
  std::shared_ptr<ShareGroup> group;
  std::unique_ptr<FrameProcessor> processor;
  std::unique_ptr<ModelHud> hud;
  ContextRef context;
  {
    const std::lock_guard lock(mutex_);
    group = std::move(group_);
    processor = std::move(processor_);
    hud = std::move(hud_);
    context.reset(std::exchange(context_, nullptr));
  }
  if (context == nullptr) return;
  // The objects belong to this context, which may differ from the caller's.
  const std::vector<SharedResults> last = on_gl_thread(context.get(), [&] {
    std::vector<SharedResults> results;
    if (processor->results() != nullptr) results = processor->results()->finish();
    inputs_.detach();
    hud.reset();
    processor.reset();
    group.reset();
    return results;
  });
  const std::lock_guard lock(mutex_);
  note_arrived(last);
}

Status ModelRuntime::set_caps(const FrameFormat& input, const GstVideoInfo& output) {
  const std::lock_guard lock(mutex_);
  input_ = input;
  output_ = output;
  // Tags in mid-stream trigger renegotiation. If the frames stay the same, nothing is forgotten.
  return processor_ != nullptr && built_for_ == input.kind ? follow_size() : Status();
}

Result<bool> ModelRuntime::prepare(GstGLContext* context) {
  {
    const std::lock_guard lock(mutex_);
    if (!input_) return false;
    if (context_ == context && built_for_ == input_->kind) return true;
  }
  SIGHTGLASS_RETURN_IF_ERROR(on_gl_thread(context, [&] { return attach(context); }));
  const std::lock_guard lock(mutex_);
  return context_ != nullptr;
}

// If the output has the frame's size, its caps were negotiated for the frame's orientation.
FrameSize ModelRuntime::upright_size() const {
  if (!own_size()) {
    const auto aspect =
        static_cast<float>(GST_VIDEO_INFO_PAR_N(&output_)) / static_cast<float>(GST_VIDEO_INFO_PAR_D(&output_));
    return {GST_VIDEO_INFO_WIDTH(&output_), GST_VIDEO_INFO_HEIGHT(&output_), aspect};
  }
  if (swaps_axes(orientation_)) return {input_->height, input_->width, 1 / input_->pixel_aspect};
  return {input_->width, input_->height, input_->pixel_aspect};
}

Status ModelRuntime::follow_size() {
  const FrameSize size = upright_size();
  if (size == sized_for_) return {};
  GST_DEBUG_OBJECT(log_object(), "resizing from %dx%d to %dx%d, shown as %dx%d", sized_for_.width, sized_for_.height,
                   size.width, size.height, size.shown_width(), size.height);
  const AllocationScope allocations(group_->gl());
  SIGHTGLASS_RETURN_IF_ERROR(processor_->resize(size));
  SIGHTGLASS_RETURN_IF_ERROR(allocations.check("allocating for the new size"));
  sized_for_ = size;
  return {};
}

// After a change of orientation, caps follow with the next negotiated frame. An output size of the element's own fits
// every orientation.
InputTransform ModelRuntime::upright_to_stored_in(GstBuffer* input, Orientation wanted) {
  const bool own = own_size().has_value();
  const auto fits = [this, own](Orientation orientation) {
    const bool swapped = swaps_axes(orientation);
    return own || ((swapped ? input_->height : input_->width) == GST_VIDEO_INFO_WIDTH(&output_) &&
                   (swapped ? input_->width : input_->height) == GST_VIDEO_INFO_HEIGHT(&output_));
  };
  if ((fits(wanted) || !fits(orientation_)) && std::exchange(orientation_, wanted) != wanted) {
    GST_DEBUG_OBJECT(log_object(), "orientation changed: restarting smoothing");
    processor_->forget();
  }
  const CropRect seen = visible_part(input);
  return upright_to_stored(orientation_)
      .then(shown_to_stored(input))
      .then({{seen.width, 0, seen.x, 0, seen.height, seen.y}});
}

void ModelRuntime::forget() {
  GST_DEBUG_OBJECT(log_object(), "new scene: forgetting earlier frames");
  const std::lock_guard lock(mutex_);
  if (processor_ != nullptr) processor_->forget();
}

void ModelRuntime::release_inputs() {
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

Result<FrameTicket> ModelRuntime::process(GstBuffer* input, GstBuffer* output) {
  ContextRef context;
  {
    const std::lock_guard lock(mutex_);
    if (context_ == nullptr) return internal_error("a frame arrived before the element was ready");
    context = ref(context_);
    if (Status status = check_frame(input, *input_, context.get()); !status.ok()) {
      inputs_.release_read();
      return status;
    }
  }
  const uint64_t begin = gst_util_get_timestamp();
  const Orientation wanted = orientation();
  Result<FrameTicket> ticket = on_gl_thread(context.get(), [&] { return issue(context.get(), input, output, wanted); });
  if (const uint64_t now = gst_util_get_timestamp(); ticket.ok()) stats_.note_frame(now - begin, now);
  inputs_.release_read();
  SIGHTGLASS_RETURN_IF_ERROR(ticket.status());
  // The first frame does not compete with the compiler, and nothing else has to arrive for it to begin.
  begin_start();
  return ticket;
}

Result<FrameTicket> ModelRuntime::issue(GstGLContext* context, GstBuffer* input, GstBuffer* output,
                                        Orientation wanted) try {
  const std::lock_guard lock(mutex_);
  if (context_ != context) return internal_error("the GL context was replaced while a frame was in flight");
  inputs_.poll();
  const uint64_t inferences = processor_->inferences();
  FrameJob frame;
  frame.input = input;
  frame.output_buffer = output;
  frame.number = frames_begun_++;
  wait_for_buffer(input, context);
  Status status;
  {
    const MappedFrame read(input, *input_);
    const MappedTexture drawn(output, output_, GST_MAP_WRITE);
    if (!read.ok() || !drawn.ok()) {
      return device_error(std::string("cannot map the ") + (read.ok() ? "output" : "input") + " texture");
    }
    frame.output = drawn.texture().id;
    const InputTransform place = upright_to_stored_in(input, wanted);
    status = follow_size();
    frame.frame = {read.frame(), place, sized_for_.width, sized_for_.height, sized_for_.pixel_aspect};
    if (status.ok()) status = processor_->process(frame);
    if (status.ok()) status = draw_hud(frame, processor_->inferences() - inferences);
  }
  if (status.ok()) status = processor_->annotate(frame);
  // The input memory may return to its pool, and be overwritten, only after the GPU has read it.
  if (!inputs_.hold(input)) gst_buffer_add_parent_buffer_meta(output, input);
  signal_buffer(output, context);
  // After the signal, so that showing the frame does not wait for this.
  if (ResultsReadback* results = processor_->results()) note_arrived(results->collect());
  if (status.ok()) status = processor_->finish(frame);
  stats_.note_work({processor_->inferences() - inferences, processor_->skipped(stats_.take_request_for_skipped()),
                    processor_->poll_time(), interim_, frame.failure.message()});
  SIGHTGLASS_RETURN_IF_ERROR(status);
  return FrameTicket{frame.number, GST_VIDEO_INFO_WIDTH(&output_), GST_VIDEO_INFO_HEIGHT(&output_),
                     frame.awaits_results};
} catch (...) {
  return status_of_exception(title_, "process a frame");
}

Status ModelRuntime::draw_hud(const FrameJob& job, uint64_t inferences) {
  const ModelSettings settings = this->settings();
  if (!settings.draws_texts()) return {};
  if (hud_ == nullptr) {
    SIGHTGLASS_ASSIGN_OR_RETURN(hud_, ModelHud::create(group_, title_));
  }
  const TextureRef picture{job.output, GL_TEXTURE_2D, GST_VIDEO_INFO_WIDTH(&output_), GST_VIDEO_INFO_HEIGHT(&output_)};
  const int32_t shown_width = own_size() ? picture.width : job.frame.shown_width();
  return hud_->draw(settings, stats_.snapshot(), inferences, gst_util_get_timestamp(), picture, shown_width);
}

// Results on their way from the GPU to the streaming thread.

std::vector<SharedResults> ModelRuntime::take_results() {
  const std::lock_guard lock(mutex_);
  return std::exchange(arrived_, {});
}

std::vector<SharedResults> ModelRuntime::await_results(ResultsWait what) {
  ContextRef context;
  {
    const std::lock_guard lock(mutex_);
    if (context_ != nullptr && processor_->results() != nullptr) context = ref(context_);
  }
  if (context == nullptr) return take_results();
  on_gl_thread(context.get(), [&] {
    const std::lock_guard lock(mutex_);
    if (context_ != context.get()) return;
    ResultsReadback& results = *processor_->results();
    note_arrived(what == ResultsWait::kAll      ? results.finish()
                 : what == ResultsWait::kOldest ? results.wait()
                                                : results.collect());
  });
  return take_results();
}

void ModelRuntime::drop_results() {
  const std::lock_guard lock(mutex_);
  arrived_.clear();
  if (processor_ != nullptr && processor_->results() != nullptr) processor_->results()->forget();
}

void ModelRuntime::note_arrived(const std::vector<SharedResults>& results) {
  if (!results.empty()) GST_LOG_OBJECT(log_object(), "results of %" G_GSIZE_FORMAT " frames arrived", results.size());
  arrived_.insert(arrived_.end(), results.begin(), results.end());
}

// Models that are prepared while frames flow.

void ModelRuntime::cancel_change() {
  if (change_ != nullptr) GST_DEBUG_OBJECT(log_object(), "canceling the pending model change");
  change_.reset();
}

std::optional<ModelSettings> ModelRuntime::wanted_change() const {
  const std::lock_guard lock(settings_mutex_);
  return settings_.model != model_name_ ? std::optional(settings_) : std::nullopt;
}

bool ModelRuntime::is_interim() const {
  const std::lock_guard lock(mutex_);
  return interim_ && context_ != nullptr;
}

ModelNews ModelRuntime::follow_model() {
  ModelNews news;
  if (change_ != nullptr) {
    if (!change_->is_done()) return {};
    news = change_starts_ ? end_start() : end_change();
  }
  {
    const std::lock_guard lock(mutex_);
    news.failure = start_failure_;
  }
  if (!news.failure.ok()) return news;
  if (is_interim()) {
    begin_start();
  } else if (const std::optional<ModelSettings> wanted = wanted_change()) {
    begin_change(*wanted);
  }
  return news;
}

void ModelRuntime::begin_start() {
  if (change_ != nullptr) return;
  const std::string name = model_name();
  const std::lock_guard lock(mutex_);
  if (context_ == nullptr || !interim_ || !start_failure_.ok()) return;
  change_starts_ = true;
  change_ = std::make_unique<ModelChange>(
      name, [model = model_] { return model; },
      ModelChange::Place{ref(context_), built_for_, sized_for_, tuning_, cache_folder_});
}

ModelNews ModelRuntime::end_start() {
  const std::unique_ptr<ModelChange> change = std::move(change_);
  Result<ReadyModel> ready = change->take();
  if (!ready.ok()) {
    const std::lock_guard lock(mutex_);
    const bool is_current = context_ == change->place().context.get() && built_for_ == change->place().kind;
    if (is_current) start_failure_ = ready.status();  // otherwise it begins again
    return {};
  }
  uint64_t began = 0;
  {
    const std::lock_guard lock(mutex_);
    began = attached_at_;
  }
  if (!take_over(*ready, change->name())) {
    GST_DEBUG_OBJECT(log_object(), "preparing model %s again: GL context or frames have changed", change->shown_name());
    return {};
  }
  const uint64_t taken = gst_util_get_timestamp() - began;
  stats_.note_start(taken);
  GST_INFO_OBJECT(log_object(), "model %s is ready, %.1f ms after the start; %" G_GUINT64_FORMAT " frames without it",
                  change->shown_name(), static_cast<double>(taken) / GST_MSECOND, stats_.snapshot().early);
  return {};
}

void ModelRuntime::begin_change(const ModelSettings& wanted) {
  const std::lock_guard lock(mutex_);
  if (context_ == nullptr) return;  // before the first frame
  change_starts_ = false;
  change_ = std::make_unique<ModelChange>(
      wanted.model, [this, wanted] { return load(wanted); },
      ModelChange::Place{ref(context_), built_for_, sized_for_, tuning_, cache_folder_});
}

ModelNews ModelRuntime::end_change() {
  const std::unique_ptr<ModelChange> change = std::move(change_);
  const std::optional<ModelSettings> wanted = wanted_change();
  if (!wanted || wanted->model != change->name()) {
    GST_DEBUG_OBJECT(log_object(), "dropping model %s: another one has been set since", change->shown_name());
    return {};
  }
  Result<ReadyModel> ready = change->take();
  if (!ready.ok()) {
    GST_INFO_OBJECT(log_object(), "cannot use model %s: %s", change->shown_name(), ready.status().message().c_str());
    const std::lock_guard lock(settings_mutex_);
    if (settings_.model == change->name()) settings_.model = model_name_;
    return {false,
            {"model=" + change->name().value_or("") + ": cannot be used, " + model_name_.value_or("") +
             " stays in effect: " + ready.status().message()},
            {}};
  }
  const std::shared_ptr<const LoadedModel> model = ready->model;
  if (!take_over(*ready, change->name())) {
    GST_DEBUG_OBJECT(log_object(), "preparing model %s again: GL context or frames have changed", change->shown_name());
    return {};
  }
  GST_INFO_OBJECT(log_object(), "model %s takes over, prepared in %.1f ms", change->shown_name(),
                  static_cast<double>(ready->prepared_ns) / GST_MSECOND);
  adopt(model);
  {
    const std::lock_guard lock(settings_mutex_);
    model_name_ = change->name();
  }
  return {true, model->warnings(), {}};
}

// Waits only for pending results; everything that frames need is prepared.
bool ModelRuntime::take_over(ReadyModel& ready, const std::optional<std::string>& name) {
  const bool done = on_gl_thread(ready.context.get(), [&] {
    const std::lock_guard lock(mutex_);
    if (context_ != ready.context.get() || built_for_ != ready.kind) return false;
    if (ResultsReadback* results = processor_->results()) note_arrived(results->finish());
    processor_ = std::move(ready.processor);
    interim_ = false;
    const std::string title = title_of(element_, name);
    if (std::exchange(title_, title) != title) hud_.reset();
    model_ = std::move(ready.model);
    sized_for_ = ready.size;
    return true;
  });
  if (done) stats_.note_change(ready.prepared_ns);
  return done;
}

}  // namespace sightglass
