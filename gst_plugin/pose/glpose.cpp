#include <memory>

#include "element/model_bin.h"
#include "element/model_filter.h"
#include "gobject/guarded.h"
#include "gobject/log.h"
#include "meta/meta_types.h"
#include "pose/pose_runtime.h"

namespace {

using sightglass::PoseRuntime;

struct GstGLPose {
  GstGLModelFilter parent;
};
struct GstGLPoseClass {
  GstGLModelFilterClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(GstGLPose, gst_gl_pose, gst_gl_model_filter_get_type())
GST_ELEMENT_REGISTER_DEFINE(glpose, "glpose", GST_RANK_NONE, gst_gl_pose_get_type())

static void gst_gl_pose_init(GstGLPose* self) {
  sightglass::model_filter_set_runtime(self, std::make_unique<PoseRuntime>(GST_ELEMENT(self)));
}

static void gst_gl_pose_class_init(GstGLPoseClass* klass) {
  klass->parent_class.log = sightglass::pose_log();
  sightglass::mask_meta_info();
  sightglass::results_meta_info();
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  sightglass::model_filter_pass_properties(object_class);
  sightglass::pose_properties().install(object_class);
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "OpenGL pose estimation",
                                        "Filter/Analyzer/Effect/Video",
                                        "Finds and draws keypoints of people with a TensorFlow Lite model in the GL "
                                        "context of the pipeline: BlazePose, MoveNet, PoseNet or heatmaps",
                                        SIGHTGLASS_AUTHOR);
}

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
