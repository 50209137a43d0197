#include "element/model_change.h"

#include <chrono>
#include <utility>

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
Result<std::unique_ptr<FrameProcessor>> create_processor(const LoadedModel& model, GstGLContext* context,
                                                         const ModelChange::Place& place, bool ahead,
                                                         const ModelTimes& times) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const GlApi gl, load_gl_api(context));
  SIGHTGLASS_ASSIGN_OR_RETURN(const DeviceInfo device, query_device(gl));
  const std::shared_ptr<ShareGroup> group = share_group_of(context, gl, place.cache_folder);
  const AllocationScope allocations(gl);
  SIGHTGLASS_ASSIGN_OR_RETURN(
      std::unique_ptr<FrameProcessor> processor,
      model.create({context, group, device, place.kind, place.tuning, place.cache_folder, ahead, times}));
  SIGHTGLASS_RETURN_IF_ERROR(processor->resize(place.size));
  SIGHTGLASS_RETURN_IF_ERROR(allocations.check("allocating for the model"));
  if (ahead) SIGHTGLASS_RETURN_IF_ERROR(wait_for_gpu(gl));
  return processor;
}

// A separate context, and a processor on it that draws no frame.
struct Rehearsal {
  explicit Rehearsal(ContextRef own) : context(std::move(own)) {}
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;
  ~Rehearsal() {
    if (processor != nullptr) on_gl_thread(context.get(), [this] { processor.reset(); });
  }
  ContextRef context;
  std::unique_ptr<FrameProcessor> processor;
};

}  // namespace

ReadyModel::~ReadyModel() {
  if (processor != nullptr) on_gl_thread(context.get(), [this] { processor.reset(); });
}

ModelChange::ModelChange(std::optional<std::string> name, Load load, Place place)
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
// The real processor finds them and only allocates, between two frames.
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
      return create_processor(*ready.model, context, place_, ahead, times);
    });
  };
  Rehearsal rehearsal(abandoned_ ? nullptr : create_shared_context(place_.context.get()));
  if (rehearsal.context != nullptr) {
    SIGHTGLASS_ASSIGN_OR_RETURN(rehearsal.processor, create(rehearsal.context.get(), true, {}));
    GST_DEBUG_OBJECT(log_object(), "compiled and ran on %s while frames flow",
                     GST_OBJECT_NAME(rehearsal.context.get()));
  }
  if (abandoned_) return ready;
  ready.context = ref(place_.context.get());
  const ModelTimes times = rehearsal.processor != nullptr ? rehearsal.processor->model_times() : ModelTimes{};
  SIGHTGLASS_ASSIGN_OR_RETURN(ready.processor, create(place_.context.get(), false, times));
  const auto taken = std::chrono::steady_clock::now() - begin;
  ready.prepared_ns = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count());
  return ready;
}

}  // namespace sightglass
