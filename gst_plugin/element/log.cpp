#include "element/log.h"

#include "element/model_filter.h"

namespace sightglass {

GstDebugCategory* element_log() {
  GObject* object = log_object();
  const GType type = gst_gl_model_filter_get_type();
  if (object == nullptr || !G_TYPE_CHECK_INSTANCE_TYPE(object, type)) return base_log();
  return G_TYPE_INSTANCE_GET_CLASS(object, type, GstGLModelFilterClass)->log;
}

}  // namespace sightglass
