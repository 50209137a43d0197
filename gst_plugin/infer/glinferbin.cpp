#include "infer/glinferbin.h"

#include "element/model_bin.h"
#include "gobject/log.h"
#include "gobject/package.h"
#include "infer/infer_properties.h"

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
