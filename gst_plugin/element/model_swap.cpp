#include "element/model_swap.h"

#include <chrono>
#include <utility>

#include "element/model_element.h"
#include "gl/gl_bridge.h"
#include "gobject/log.h"
#include "gpu_engine/allocation_scope.h"
#include "gpu_engine/build_programs.h"
#include "gpu_engine/quoted.h"
#include "sightglass/gl_objects.h"
#include "sightglass/status.h"

#define GST_CAT_DEFAULT sightglass::base_log()

namespace sightglass {

namespace {

// A new context that shares objects with `other` and has its own thread; null if the driver cannot create one.
ContextRef create_shared_context(GstGLContext* other) {
  GstGLDisplay* display = gst_gl_context_get_display(other);
  GstGLContext* context = nullptr;
  GError* error = nullptr;
  GST_OBJECT_LOCK(display);
  if (!gst_gl_display_create_context(display, other, &context, &error)) {
    GST_WARNING_OBJECT(log_object(),
                       "cannot create a GL context that shares with %s; frames wait while the model is compiled: %s",
                       GST_OBJECT_NAME(other), error != nullptr ? error->message : "unknown reason");
    g_clear_error(&error);
  }
  GST_OBJECT_UNLOCK(display);
  gst_object_unref(display);
  if (context != nullptr && gst_gl_context_get_gl_api(context) != gst_gl_context_get_gl_api(other)) {
    GST_WARNING_OBJECT(log_object(),
                       "the GL context created beside %s has another API; frames wait while the model is compiled",
                       GST_OBJECT_NAME(other));
    gst_clear_object(&context);
  }
  return ContextRef(context);
}

// On the GL thread of `context`. With `ahead`, returns only when the GPU has finished all work.
Result<std::unique_ptr<EffectRunner>> create_runner(const LoadedModel& model, GstGLContext* context,
                                                    const FramePlace& place, bool ahead, const ModelTimes& times) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const GlApi gl, load_gl_api(context));
  SIGHTGLASS_ASSIGN_OR_RETURN(const DeviceInfo device, query_device(gl));
  const std::shared_ptr<ShareGroup> group = share_group_of(context, gl, place.cache_folder);
  const GlTarget target{context, group, device, place.kind, place.tuning, place.cache_folder, ahead, times};
  const AllocationScope allocations(gl);
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<Effect> effect, model.create(target));
  SIGHTGLASS_ASSIGN_OR_RETURN(
      std::unique_ptr<EffectRunner> runner,
      EffectRunner::create(target, std::move(effect), place.element, place.settings->run.mask_sync));
  SIGHTGLASS_RETURN_IF_ERROR(runner->resize(place.size, *place.settings));
  SIGHTGLASS_RETURN_IF_ERROR(allocations.check("allocating for the model"));
  if (ahead) SIGHTGLASS_RETURN_IF_ERROR(wait_for_gpu(gl));
  return runner;
}

// A separate context, and a runner on it that draws no frame.
struct Rehearsal {
  explicit Rehearsal(ContextRef own) : context(std::move(own)) {}
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;
  ~Rehearsal() {
    if (runner != nullptr) on_gl_thread(context.get(), [this] { runner.reset(); });
  }
  ContextRef context;
  std::unique_ptr<EffectRunner> runner;
};

}  // namespace

ReadyModel::~ReadyModel() {
  if (runner != nullptr) on_gl_thread(context.get(), [this] { runner.reset(); });
}

ModelChange::ModelChange(std::optional<std::string> name, Load load, FramePlace place)
    : name_(std::move(name)), place_(std::move(place)) {
  GST_INFO_OBJECT(log_object(), "loading and compiling model %s while frames flow", shown_name());
  thread_ = std::thread([this, load = std::move(load), element = log_object()] {
    const LogScope scope(element);  // the element outlives the change
    try {
      result_.emplace(prepare(load));
    } catch (...) {
      result_.emplace(status_of_exception(name_.value_or(""), "load the model"));
    }
    done_ = true;
  });
}

ModelChange::~ModelChange() {
  abandoned_ = true;
  thread_.join();
  result_.reset();
}

Result<ReadyModel> ModelChange::take() { return *std::move(result_); }

// Contexts that share objects share programs and weights. The rehearsal compiles and uploads them while frames flow.
// The real runner finds them and only allocates, between two frames.
Result<ReadyModel> ModelChange::prepare(const Load& load) const {
  const auto begin = std::chrono::steady_clock::now();
  ReadyModel ready;
  SIGHTGLASS_ASSIGN_OR_RETURN(ready.model, load());
  GST_DEBUG_OBJECT(log_object(), "model %s loaded, compiling", shown_name());
  ready.kind = place_.kind;
  ready.size = place_.size;
  const auto create = [&](GstGLContext* context, bool ahead, const ModelTimes& times) {
    return on_gl_thread(context, [&] {
      const CancellationScope scope(abandoned_);
      return create_runner(*ready.model, context, place_, ahead, times);
    });
  };
  Rehearsal rehearsal(abandoned_ ? nullptr : create_shared_context(place_.context.get()));
  if (rehearsal.context != nullptr) {
    SIGHTGLASS_ASSIGN_OR_RETURN(rehearsal.runner, create(rehearsal.context.get(), true, {}));
    GST_DEBUG_OBJECT(log_object(), "compiled and ran on %s while frames flow",
                     GST_OBJECT_NAME(rehearsal.context.get()));
  }
  if (abandoned_) return ready;
  ready.context = ref(place_.context.get());
  const ModelTimes times = rehearsal.runner != nullptr ? rehearsal.runner->model_times() : ModelTimes{};
  SIGHTGLASS_ASSIGN_OR_RETURN(ready.runner, create(place_.context.get(), false, times));
  const auto taken = std::chrono::steady_clock::now() - begin;
  ready.prepared_ns = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count());
  return ready;
}

void ModelSwap::cancel() {
  if (change_ != nullptr) GST_DEBUG_OBJECT(log_object(), "canceling the pending model change");
  change_.reset();
}

ModelNews ModelSwap::follow() {
  ModelNews news;
  if (change_ != nullptr) {
    if (!change_->is_done()) return {};
    const std::unique_ptr<ModelChange> change = std::move(change_);
    news = starts_ ? end_start(*change) : end_change(*change);
  }
  news.failure = element_.gl.failure();
  if (!news.failure.ok()) return news;
  if (element_.gl.is_interim()) {
    begin_start();
  } else if (const std::shared_ptr<const ElementSettings> wanted = element_.settings.wanted_change()) {
    begin_change(wanted);
  }
  return news;
}

void ModelSwap::begin_start() {
  if (change_ != nullptr || !element_.gl.is_interim() || !element_.gl.failure().ok()) return;
  std::optional<FramePlace> place = element_.gl.place();
  if (!place) return;
  starts_ = true;
  change_ = std::make_unique<ModelChange>(
      element_.settings.model(), [model = element_.gl.model()] { return model; }, std::move(*place));
}

ModelNews ModelSwap::end_start(ModelChange& change) {
  Result<ReadyModel> ready = change.take();
  if (!ready.ok()) {
    element_.gl.fail_interim(change.place(), ready.status());
    return {};
  }
  if (!element_.gl.take_over(*ready, change.name())) {
    GST_DEBUG_OBJECT(log_object(), "preparing model %s again: GL context or frames have changed", change.shown_name());
    return {};
  }
  const uint64_t taken = element_.gl.time_since_attach();
  element_.stats.note_start(taken);
  GST_INFO_OBJECT(log_object(), "model %s is ready, %.1f ms after the start; %" G_GUINT64_FORMAT " frames without it",
                  change.shown_name(), static_cast<double>(taken) / GST_MSECOND, element_.stats.snapshot().early);
  return {};
}

void ModelSwap::begin_change(const std::shared_ptr<const ElementSettings>& wanted) {
  std::optional<FramePlace> place = element_.gl.place();
  if (!place) return;  // before the first frame
  starts_ = false;
  change_ = std::make_unique<ModelChange>(
      wanted->model.model, [this, wanted] { return element_.load(wanted); }, std::move(*place));
}

ModelNews ModelSwap::end_change(ModelChange& change) {
  const std::shared_ptr<const ElementSettings> wanted = element_.settings.wanted_change();
  if (wanted == nullptr || wanted->model.model != change.name()) {
    GST_DEBUG_OBJECT(log_object(), "dropping model %s: another one has been set since", change.shown_name());
    return {};
  }
  Result<ReadyModel> ready = change.take();
  if (!ready.ok()) {
    GST_INFO_OBJECT(log_object(), "cannot use model %s: %s", change.shown_name(), ready.status().message().c_str());
    element_.settings.model_refused(change.name());
    return {false,
            {"model=" + change.name().value_or("") + ": cannot be used, " + element_.settings.model().value_or("") +
             " stays in effect: " + ready.status().message()},
            {}};
  }
  const std::shared_ptr<const LoadedModel> model = ready->model;
  if (!element_.gl.take_over(*ready, change.name())) {
    GST_DEBUG_OBJECT(log_object(), "preparing model %s again: GL context or frames have changed", change.shown_name());
    return {};
  }
  GST_INFO_OBJECT(log_object(), "model %s takes over, prepared in %.1f ms", change.shown_name(),
                  static_cast<double>(ready->prepared_ns) / GST_MSECOND);
  element_.adopt(model);
  element_.settings.model_took_over(change.name());
  return {true, model->warnings(), {}};
}

}  // namespace sightglass
