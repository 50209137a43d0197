#include "element/element_error.h"

namespace sightglass {

void post_error(gpointer element, const Status& status) {
  const char* text = status.message().c_str();
  switch (status.code()) {
    case ErrorCode::kNotFound:
      GST_ELEMENT_ERROR(element, RESOURCE, NOT_FOUND, ("%s", text), (nullptr));
      return;
    case ErrorCode::kInvalidModel:
      GST_ELEMENT_ERROR(element, RESOURCE, READ, ("%s", text), (nullptr));
      return;
    case ErrorCode::kResourceExhausted:
    case ErrorCode::kOutOfMemory:
      GST_ELEMENT_ERROR(element, RESOURCE, NO_SPACE_LEFT, ("%s", text), (nullptr));
      return;
    case ErrorCode::kDeviceError:
    case ErrorCode::kInternal:
    case ErrorCode::kTimedOut:
      GST_ELEMENT_ERROR(element, RESOURCE, FAILED, ("%s", text), (nullptr));
      return;
    default:
      GST_ELEMENT_ERROR(element, LIBRARY, SETTINGS, ("%s", text), (nullptr));
  }
}

}  // namespace sightglass
