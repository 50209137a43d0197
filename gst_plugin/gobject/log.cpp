#include "gobject/log.h"

#include <string>

#include "gobject/guarded.h"
#include "gpu_engine/quoted.h"
#include "sightglass/status.h"

namespace sightglass {

namespace {

thread_local GObject* current_object = nullptr;

GstDebugCategory* engine_category() {
  static GstDebugCategory* const category = make_log_category("sightglass-engine", "models, kernels, shader programs");
  return category;
}

GstDebugLevel to_gst(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo:
      return GST_LEVEL_INFO;
    case LogLevel::kDebug:
      return GST_LEVEL_DEBUG;
    case LogLevel::kTrace:
      return GST_LEVEL_TRACE;
  }
  return GST_LEVEL_TRACE;
}

void write(LogLevel level, const std::string& message) {
  gst_debug_log(engine_category(), to_gst(level), "gpu_engine", "log", 0, log_object(), "%s", message.c_str());
}

bool wants(LogLevel level) { return is_logged(engine_category(), to_gst(level)); }

}  // namespace

GstDebugCategory* make_log_category(const char* name, const char* description) {
  GstDebugCategory* category = nullptr;
  GST_DEBUG_CATEGORY_INIT(category, name, 0, description);
  return category;
}

GstDebugCategory* base_log() {
  static GstDebugCategory* const category = make_log_category("sightglass-base", "models of elements, held frames");
  return category;
}

GstDebugCategory* gl_log() {
  static GstDebugCategory* const category = make_log_category("sightglass-gl", "GL contexts, textures, pools");
  return category;
}

GstDebugCategory* results_log() {
  static GstDebugCategory* const category = make_log_category("sightglass-results", "results on their way");
  return category;
}

const Log& engine_log() {
  static const Log& log = *new Log(write, wants);  // elements may end after everything static has
  return log;
}

GObject* log_object() { return current_object; }

LogScope::LogScope(gpointer object) : outer_(current_object) {
  if (object != nullptr) current_object = static_cast<GObject*>(object);
}

LogScope::~LogScope() { current_object = outer_; }

void log_exception(const char* action) noexcept {
  GST_CAT_ERROR_OBJECT(base_log(), log_object(), "%s", status_of_exception("sightglass", action).message().c_str());
}

void report_exception(GObject* object, const char* action) noexcept {
  GstElement* element = nullptr;
  if (GST_IS_ELEMENT(object)) {
    element = GST_ELEMENT(gst_object_ref(object));
  } else if (GST_IS_PAD(object)) {
    element = gst_pad_get_parent_element(GST_PAD(object));
  }
  if (element == nullptr) return log_exception(action);
  const Status status = status_of_exception(GST_OBJECT_NAME(element), action);
  if (status.code() == ErrorCode::kOutOfMemory) {
    GST_ELEMENT_ERROR(element, RESOURCE, NO_SPACE_LEFT, ("%s", status.message().c_str()), (nullptr));
  } else {
    GST_ELEMENT_ERROR(element, CORE, FAILED, ("%s", status.message().c_str()), (nullptr));
  }
  gst_object_unref(element);
}

}  // namespace sightglass
