// glsegmentbin: glsegment with upload and download, a second video as background, and the masks as a stream.
#include <gst/gl/gl.h>

#include <cstring>

#include "element/model_bin.h"
#include "gobject/guarded.h"
#include "gobject/log.h"
#include "segment/background_video.h"
#include "segment/mask_pad.h"
#include "segment/settings.h"

namespace {

struct GstGLSegmentBin {
  GstGLModelBin parent;
  sightglass::BackgroundVideo* background;  // owned; null if an element of the bin is missing
};
struct GstGLSegmentBinClass {
  GstGLModelBinClass parent_class;
};

GstGLSegmentBin* self_of(gpointer object) { return static_cast<GstGLSegmentBin*>(object); }

}  // namespace

G_DEFINE_TYPE(GstGLSegmentBin, gst_gl_segment_bin, gst_gl_model_bin_get_type())
GST_ELEMENT_REGISTER_DEFINE(glsegmentbin, "glsegmentbin", GST_RANK_NONE, gst_gl_segment_bin_get_type())

namespace {

GstDebugCategory* log_of(gpointer bin) {
  return G_TYPE_INSTANCE_GET_CLASS(bin, gst_gl_segment_bin_get_type(), GstGLSegmentBinClass)->parent_class.log;
}

constexpr const char *kBackground = "background", *kMask = "mask";

bool is_called(GstPadTemplate* pad_template, const char* name) {
  return std::strcmp(GST_PAD_TEMPLATE_NAME_TEMPLATE(pad_template), name) == 0;
}

bool may_flow(GstElement* element) {
  return GST_STATE(element) > GST_STATE_READY || GST_STATE_NEXT(element) > GST_STATE_READY;
}

GstPad* request_pad_of_bin(GstElement* element, GstPadTemplate* pad_template, const gchar* /*name*/,
                           const GstCaps* /*caps*/) {
  GstGLSegmentBin* self = self_of(element);
  if (self->background == nullptr) return nullptr;
  const char* name = GST_PAD_TEMPLATE_NAME_TEMPLATE(pad_template);
  if (is_called(pad_template, kBackground) && !may_flow(element)) self->background->insert();
  const bool is_mask = is_called(pad_template, kMask);
  GstPad* inner = is_mask ? gst_element_request_pad_simple(self->parent.model, kMask) : self->background->enter();
  if (inner == nullptr) {
    GST_CAT_WARNING_OBJECT(log_of(element), element, "cannot create pad \"%s\": it exists already%s; release it first",
                           name, is_mask ? "" : ", or was not requested before in the states NULL and READY");
    return nullptr;
  }
  GstPad* ghost = gst_ghost_pad_new_from_template(name, inner, pad_template);
  if (may_flow(element)) gst_pad_set_active(ghost, TRUE);
  gst_element_add_pad(element, ghost);
  GST_CAT_DEBUG_OBJECT(log_of(element), element, "requested pad: %" GST_PTR_FORMAT " for %" GST_PTR_FORMAT, ghost,
                       inner);
  if (is_mask) gst_object_unref(inner);
  return ghost;
}

void release_pad_of_bin(GstElement* element, GstPad* pad) {
  GST_CAT_DEBUG_OBJECT(log_of(element), element, "released pad: %" GST_PTR_FORMAT, pad);
  GstGLSegmentBin* self = self_of(element);
  if (is_called(GST_PAD_PAD_TEMPLATE(pad), kMask)) {
    GstPad* inner = gst_ghost_pad_get_target(GST_GHOST_PAD(pad));
    gst_element_remove_pad(element, pad);
    gst_element_release_request_pad(self->parent.model, inner);
    gst_object_unref(inner);
    return;
  }
  self->background->leave(pad);
  gst_element_remove_pad(element, pad);
  if (!may_flow(element)) self->background->remove();
}

GstStateChangeReturn change_state(GstElement* element, GstStateChange transition) {
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(gst_gl_segment_bin_parent_class)->change_state(element, transition);
  GstGLSegmentBin* self = self_of(element);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY && self->background != nullptr) self->background->remove();
  return result;
}

// Runs before the bin releases the elements behind the pads.
void dispose(GObject* object) {
  for (const char* name : {kBackground, kMask}) {
    GstPad* pad = gst_element_get_static_pad(GST_ELEMENT(object), name);
    if (pad == nullptr) continue;
    gst_element_release_request_pad(GST_ELEMENT(object), pad);
    gst_object_unref(pad);
  }
  G_OBJECT_CLASS(gst_gl_segment_bin_parent_class)->dispose(object);
}

}  // namespace

static void gst_gl_segment_bin_init(GstGLSegmentBin* self) {
  sightglass::model_bin_build(self, "glsegment", "segment");
  const GstGLModelBin& parts = self->parent;
  if (parts.model == nullptr) return;
  self->background = new sightglass::BackgroundVideo(GST_BIN(self), parts.before_model, parts.model);
}

static void gst_gl_segment_bin_class_init(GstGLSegmentBinClass* klass) {
  klass->parent_class.log = sightglass::make_log_category("glsegmentbin", "glsegment with upload and download");
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  object_class->dispose = sightglass::guarded<dispose>;
  sightglass::own<&GstGLSegmentBin::background>(object_class);
  sightglass::model_bin_pass_properties(object_class);
  sightglass::segment_properties().install(object_class);

  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  element_class->request_new_pad = sightglass::guarded<request_pad_of_bin>;
  element_class->release_pad = sightglass::guarded<release_pad_of_bin>;
  element_class->change_state = sightglass::guarded<change_state>;
  GstCaps* uploadable = gst_gl_upload_get_input_template_caps();
  gst_element_class_add_pad_template(element_class,
                                     gst_pad_template_new(kBackground, GST_PAD_SINK, GST_PAD_REQUEST, uploadable));
  gst_caps_unref(uploadable);
  gst_element_class_add_pad_template(element_class, sightglass::MaskPad::make_template());
  gst_element_class_set_static_metadata(element_class, "OpenGL person segmentation with upload and download",
                                        "Filter/Effect/Video",
                                        "glsegment with what brings frames onto the GPU, as DMABUF without a copy, "
                                        "and off it where downstream wants that",
                                        SIGHTGLASS_AUTHOR);
}
