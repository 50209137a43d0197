#include <memory>

#include "element/model_bin.h"
#include "element/model_filter.h"
#include "gobject/guarded.h"
#include "gobject/log.h"
#include "infer/infer_runtime.h"
#include "meta/meta_types.h"

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

namespace {

struct GstGLInferBin {
  GstGLModelBin parent;
};
struct GstGLInferBinClass {
  GstGLModelBinClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(GstGLInferBin, gst_gl_infer_bin, gst_gl_model_bin_get_type())
GST_ELEMENT_REGISTER_DEFINE(glinferbin, "glinferbin", GST_RANK_NONE, gst_gl_infer_bin_get_type())

static void gst_gl_infer_bin_init(GstGLInferBin* self) { sightglass::model_bin_build(self, "glinfer", "infer"); }

static void gst_gl_infer_bin_class_init(GstGLInferBinClass* klass) {
  klass->parent_class.log = sightglass::make_log_category("glinferbin", "glinfer with upload and download");
  sightglass::model_bin_pass_properties(G_OBJECT_CLASS(klass));
  sightglass::infer_properties().install(G_OBJECT_CLASS(klass));
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "OpenGL inference with upload and download", "Filter/Analyzer/Effect/Video",
      "glinfer with upload (DMABUFs without a copy), color conversion, and download if downstream "
      "needs it",
      SIGHTGLASS_AUTHOR);
}
