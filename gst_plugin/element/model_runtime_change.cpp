// ModelRuntime: models that are prepared while frames flow.
#include <utility>

#include "element/model_change.h"
#include "element/model_runtime.h"
#include "gobject/guarded.h"
#include "gobject/log.h"

#define GST_CAT_DEFAULT sightglass::base_log()

namespace sightglass {

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
      ModelChange::Place{context_, built_for_, sized_for_, tuning_, cache_folder_});
}

ModelNews ModelRuntime::end_start() {
  const std::unique_ptr<ModelChange> change = std::move(change_);
  Result<ReadyModel> ready = change->take();
  if (!ready.ok()) {
    const std::lock_guard lock(mutex_);
    const bool is_current = context_ == change->place().context && built_for_ == change->place().kind;
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
      ModelChange::Place{context_, built_for_, sized_for_, tuning_, cache_folder_});
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
  struct Swap {
    ModelRuntime* runtime;
    ReadyModel& ready;
    std::string title;
    bool done;
  } swap{this, ready, title_of(element_, name), false};
  sightglass::gl_thread_add(
      ready.context.get(),
      [](GstGLContext* context, gpointer data) {
        auto& [runtime, ready, title, done] = *static_cast<Swap*>(data);
        const std::lock_guard lock(runtime->mutex_);
        if (runtime->context_ != context || runtime->built_for_ != ready.kind) return;
        if (ResultsReadback* results = runtime->processor_->results()) runtime->note_arrived(results->finish());
        runtime->processor_ = std::move(ready.processor);
        runtime->interim_ = false;
        if (std::exchange(runtime->title_, title) != title) runtime->hud_.reset();
        runtime->model_ = std::move(ready.model);
        runtime->sized_for_ = ready.size;
        done = true;
      },
      &swap);
  if (swap.done) stats_.note_change(ready.prepared_ns);
  return swap.done;
}

}  // namespace sightglass
