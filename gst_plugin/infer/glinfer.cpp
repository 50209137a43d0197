#include "infer/glinfer.h"

#include <memory>

#include "element/model_filter.h"
#include "gobject/package.h"
#include "infer/infer_properties.h"
#include "infer/infer_runtime.h"
#include "infer/log.h"
#include "meta/results_meta_type.h"
#include "meta/tensor_meta_type.h"

namespace {

using sightglass::InferRuntime;

struct GstGLInfer {
  GstGLModelFilter parent;
};
struct GstGLInferClass {
  GstGLModelFilterClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(GstGLInfer, gst_gl_infer, gst_gl_model_filter_get_type())
GST_ELEMENT_REGISTER_DEFINE(glinfer, "glinfer", GST_RANK_NONE, gst_gl_infer_get_type())

static void gst_gl_infer_init(GstGLInfer* self) {
  sightglass::model_filter_set_runtime(self, std::make_unique<InferRuntime>(GST_ELEMENT(self)));
}

static void gst_gl_infer_class_init(GstGLInferClass* klass) {
  klass->parent_class.log = sightglass::infer_log();
  sightglass::results_meta_info();
  sightglass::tensor_meta_info();
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  sightglass::model_filter_pass_properties(object_class);
  sightglass::infer_properties().install(object_class);
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "OpenGL inference", "Filter/Analyzer/Effect/Video",
      "Runs a TensorFlow Lite model in the GL context of the pipeline; decodes classes, boxes, landmarks and images",
      SIGHTGLASS_AUTHOR);
}
