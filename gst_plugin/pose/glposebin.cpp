#include "pose/glposebin.h"

#include "element/model_bin.h"
#include "gobject/log.h"
#include "gobject/package.h"
#include "pose/pose_properties.h"

namespace {

struct GstGLPoseBin {
  GstGLModelBin parent;
};
struct GstGLPoseBinClass {
  GstGLModelBinClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(GstGLPoseBin, gst_gl_pose_bin, gst_gl_model_bin_get_type())
GST_ELEMENT_REGISTER_DEFINE(glposebin, "glposebin", GST_RANK_NONE, gst_gl_pose_bin_get_type())

static void gst_gl_pose_bin_init(GstGLPoseBin* self) { sightglass::model_bin_build(self, "glpose", "pose"); }

static void gst_gl_pose_bin_class_init(GstGLPoseBinClass* klass) {
  klass->parent_class.log = sightglass::make_log_category("glposebin", "glpose with upload and download");
  sightglass::model_bin_pass_properties(G_OBJECT_CLASS(klass));
  sightglass::pose_properties().install(G_OBJECT_CLASS(klass));
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "OpenGL pose estimation with upload and download", "Filter/Analyzer/Effect/Video",
      "glpose with upload (DMABUFs without a copy), color conversion, and download if downstream "
      "needs it",
      SIGHTGLASS_AUTHOR);
}
