#include "glinferbin.h"

#include "infer_properties.h"
#include "model_bin.h"

namespace {

struct GstGlInferBin {
  GstSightglassModelBin parent;
};
struct GstGlInferBinClass {
  GstSightglassModelBinClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(GstGlInferBin, gst_gl_infer_bin, gst_sightglass_model_bin_get_type())
GST_ELEMENT_REGISTER_DEFINE(glinferbin, "glinferbin", GST_RANK_NONE, gst_gl_infer_bin_get_type())

static void gst_gl_infer_bin_init(GstGlInferBin* self) { sightglass::model_bin_build(self, "glinfer", "infer"); }

static void gst_gl_infer_bin_class_init(GstGlInferBinClass* klass) {
  sightglass::model_bin_pass_properties(G_OBJECT_CLASS(klass));
  sightglass::install_infer_properties(G_OBJECT_CLASS(klass));
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "OpenGL inference with upload and download", "Filter/Analyzer/Effect/Video",
      "glinfer with what brings frames onto the GPU, as DMABUF without a copy, and off it "
      "where downstream wants that",
      "Sightglass");
}
