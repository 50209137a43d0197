#include "gobject/guarded.h"

#include "gpu_engine/quoted.h"
#include "sightglass/status.h"

namespace sightglass {

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
