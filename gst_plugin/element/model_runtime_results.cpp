// ModelRuntime: results on their way from the GPU to the streaming thread.
#include <utility>

#include "element/model_runtime.h"
#include "gobject/guarded.h"
#include "gobject/log.h"

#define GST_CAT_DEFAULT sightglass::base_log()

namespace sightglass {

std::vector<SharedResults> ModelRuntime::take_results() {
  const std::lock_guard lock(mutex_);
  return std::exchange(arrived_, {});
}

std::vector<SharedResults> ModelRuntime::await_results(ResultsWait what) {
  GstGLContext* context = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (context_ != nullptr && processor_->results() != nullptr) context = GST_GL_CONTEXT(gst_object_ref(context_));
  }
  if (context == nullptr) return take_results();
  struct Wait {
    ModelRuntime* runtime;
    ResultsWait what;
  } wait{this, what};
  sightglass::gl_thread_add(
      context,
      [](GstGLContext* current, gpointer data) {
        const auto& [runtime, what] = *static_cast<Wait*>(data);
        const std::lock_guard lock(runtime->mutex_);
        if (runtime->context_ != current) return;
        ResultsReadback& results = *runtime->processor_->results();
        runtime->note_arrived(what == ResultsWait::kAll      ? results.finish()
                              : what == ResultsWait::kOldest ? results.wait()
                                                             : results.collect());
      },
      &wait);
  gst_object_unref(context);
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

}  // namespace sightglass
