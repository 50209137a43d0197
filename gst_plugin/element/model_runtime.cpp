#include "element/model_runtime.h"

#include <utility>

#include "draw/typesetter.h"
#include "element/model_change.h"
#include "gl/gl_bridge.h"
#include "gl/share_groups.h"
#include "gobject/guarded.h"
#include "gobject/log.h"
#include "gobject/property_rules.h"
#include "gpu_engine/exceptions.h"
#include "model_store.h"
#include "sightglass/cache_folder.h"
#include "stored_model.h"

#define GST_CAT_DEFAULT sightglass::base_log()

namespace sightglass {

namespace {}  // namespace

struct ModelRuntime::Job {
  ModelRuntime* runtime;
  GstGLContext* context;
  GstBuffer* input;
  GstBuffer* output;
  Orientation orientation;
  Status status;
  FrameTicket ticket;
};

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
  struct Held {
    std::shared_ptr<ShareGroup> group;
    std::unique_ptr<FrameProcessor> processor;
    std::unique_ptr<ModelHud> hud;
    HeldInputs* inputs;
    std::vector<SharedResults> last;
  } held;
  GstGLContext* context = nullptr;
  {
    const std::lock_guard lock(mutex_);
    held = {std::move(group_), std::move(processor_), std::move(hud_), &inputs_, {}};
    context = std::exchange(context_, nullptr);
  }
  if (context == nullptr) return;
  // The objects belong to this context, which may differ from the caller's.
  sightglass::gl_thread_add(
      context,
      [](GstGLContext*, gpointer data) {
        auto* that = static_cast<Held*>(data);
        std::vector<SharedResults> last;
        if (ResultsReadback* results = that->processor->results()) last = results->finish();
        that->inputs->detach();
        *that = {};
        that->last = std::move(last);
      },
      &held);
  gst_object_unref(context);
  const std::lock_guard lock(mutex_);
  note_arrived(held.last);
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
  struct Call {
    ModelRuntime* runtime;
    Status status;
  } call{this, {}};
  sightglass::gl_thread_add(
      context,
      [](GstGLContext* current, gpointer data) {
        auto* that = static_cast<Call*>(data);
        that->status = that->runtime->attach(current);
      },
      &call);
  SIGHTGLASS_RETURN_IF_ERROR(call.status);
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
  SIGHTGLASS_RETURN_IF_ERROR(processor_->resize(size));
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
  GstGLContext* context = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (context_ == nullptr) return;
    context = GST_GL_CONTEXT(gst_object_ref(context_));
  }
  sightglass::gl_thread_add(
      context,
      [](GstGLContext* current, gpointer data) {
        auto* that = static_cast<ModelRuntime*>(data);
        const std::lock_guard lock(that->mutex_);
        if (that->context_ == current) that->inputs_.wait();
      },
      this);
  gst_object_unref(context);
  inputs_.release_all();
}

Result<FrameTicket> ModelRuntime::process(GstBuffer* input, GstBuffer* output) {
  GstGLContext* context = nullptr;
  Status status;
  {
    const std::lock_guard lock(mutex_);
    if (context_ == nullptr) return internal_error("a frame arrived before the element was ready");
    context = GST_GL_CONTEXT(gst_object_ref(context_));
    status = check_frame(input, *input_, context);
  }
  Job job{this, context, input, output, orientation(), status, {}};
  if (job.status.ok()) {
    const uint64_t begin = gst_util_get_timestamp();
    sightglass::gl_thread_add(
        context,
        [](GstGLContext*, gpointer data) {
          auto* that = static_cast<Job*>(data);
          that->runtime->run(*that);
        },
        &job);
    if (const uint64_t now = gst_util_get_timestamp(); job.status.ok()) stats_.note_frame(now - begin, now);
  }
  gst_object_unref(context);
  inputs_.release_read();
  SIGHTGLASS_RETURN_IF_ERROR(job.status);
  // The first frame does not compete with the compiler, and nothing else has to arrive for it to begin.
  begin_start();
  return job.ticket;
}

void ModelRuntime::run(Job& job) try {
  const std::lock_guard lock(mutex_);
  if (context_ != job.context) {
    job.status = internal_error("the GL context was replaced while a frame was in flight");
    return;
  }
  inputs_.poll();
  const uint64_t inferences = processor_->inferences();
  FrameJob frame;
  frame.input = job.input;
  frame.output_buffer = job.output;
  frame.number = frames_begun_++;
  wait_for_buffer(job.input, job.context);
  {
    const MappedFrame input(job.input, *input_);
    const MappedTexture output(job.output, output_, GST_MAP_WRITE);
    if (!input.ok() || !output.ok()) {
      job.status = device_error(std::string("cannot map the ") + (input.ok() ? "output" : "input") + " texture");
      return;
    }
    frame.output = output.texture().id;
    const InputTransform place = upright_to_stored_in(job.input, job.orientation);
    job.status = follow_size();
    frame.frame = {input.frame(), place, sized_for_.width, sized_for_.height, sized_for_.pixel_aspect};
    if (job.status.ok()) job.status = processor_->process(frame);
    if (job.status.ok()) job.status = draw_hud(frame, processor_->inferences() - inferences);
  }
  if (job.status.ok()) job.status = processor_->annotate(frame);
  // The input memory may return to its pool, and be overwritten, only after the GPU has read it.
  if (!inputs_.hold(job.input)) gst_buffer_add_parent_buffer_meta(job.output, job.input);
  signal_buffer(job.output, job.context);
  // After the signal, so that showing the frame does not wait for this.
  if (ResultsReadback* results = processor_->results()) note_arrived(results->collect());
  if (job.status.ok()) job.status = processor_->finish(frame);
  job.ticket = {frame.number, GST_VIDEO_INFO_WIDTH(&output_), GST_VIDEO_INFO_HEIGHT(&output_), frame.awaits_results};
  stats_.note_work({processor_->inferences() - inferences, processor_->skipped(stats_.take_request_for_skipped()),
                    processor_->poll_time(), interim_, frame.failure.message()});
} catch (...) {
  job.status = status_of_exception(title_, "process a frame");
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

}  // namespace sightglass
