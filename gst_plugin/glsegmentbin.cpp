#include "glsegmentbin.h"

#include <gst/gl/gl.h>

#include <memory>

#include "background_video.h"
#include "model_bin.h"
#include "segment_properties.h"

namespace {

struct GstGlSegmentBin {
  GstSightglassModelBin parent;
  sightglass::BackgroundVideo* background;  // owned; where its pad has been requested
};
struct GstGlSegmentBinClass {
  GstSightglassModelBinClass parent_class;
};

GstGlSegmentBin* self_of(gpointer object) { return static_cast<GstGlSegmentBin*>(object); }

}  // namespace

G_DEFINE_TYPE(GstGlSegmentBin, gst_gl_segment_bin, gst_sightglass_model_bin_get_type())
GST_ELEMENT_REGISTER_DEFINE(glsegmentbin, "glsegmentbin", GST_RANK_NONE, gst_gl_segment_bin_get_type())

namespace {

// The other video goes where glsegment's output goes on to: its next element is the one before the last.
GstPad* request_new_pad(GstElement* element, GstPadTemplate* pad_template, const gchar* /*name*/,
                        const GstCaps* /*caps*/) {
  GstGlSegmentBin* self = self_of(element);
  GstSightglassModelBin* bin = &self->parent;
  if (bin->model == nullptr || self->background != nullptr) return nullptr;
  if (GST_STATE(element) > GST_STATE_READY || GST_STATE_NEXT(element) > GST_STATE_READY) {
    GST_WARNING_OBJECT(element, "the pad \"background\" can be had in the states NULL and READY alone");
    return nullptr;
  }
  std::unique_ptr<sightglass::BackgroundVideo> video =
      sightglass::BackgroundVideo::insert(GST_BIN(element), bin->model, bin->before_last);
  if (video == nullptr) return nullptr;
  self->background = video.release();
  GstPad* ghost = gst_ghost_pad_new_from_template("background", self->background->sink(), pad_template);
  gst_element_add_pad(element, ghost);
  return ghost;
}

void release_pad(GstElement* element, GstPad* pad) {
  GstGlSegmentBin* self = self_of(element);
  if (self->background == nullptr) return;
  gst_element_remove_pad(element, pad);
  self->background->remove();
  delete self->background;
  self->background = nullptr;
}

// Before the bin lets go of the elements behind the pad.
void dispose(GObject* object) {
  if (self_of(object)->background != nullptr) {
    GstPad* pad = gst_element_get_static_pad(GST_ELEMENT(object), "background");
    gst_element_release_request_pad(GST_ELEMENT(object), pad);
    gst_object_unref(pad);
  }
  G_OBJECT_CLASS(gst_gl_segment_bin_parent_class)->dispose(object);
}

}  // namespace

static void gst_gl_segment_bin_init(GstGlSegmentBin* self) {
  sightglass::model_bin_build(self, "glsegment", "segment");
}

static void gst_gl_segment_bin_class_init(GstGlSegmentBinClass* klass) {
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  object_class->dispose = dispose;
  sightglass::model_bin_pass_properties(object_class);
  sightglass::install_segment_properties(object_class);

  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  element_class->request_new_pad = request_new_pad;
  element_class->release_pad = release_pad;
  GstCaps* uploadable = gst_gl_upload_get_input_template_caps();
  gst_element_class_add_pad_template(element_class,
                                     gst_pad_template_new("background", GST_PAD_SINK, GST_PAD_REQUEST, uploadable));
  gst_caps_unref(uploadable);
  gst_element_class_set_static_metadata(element_class, "OpenGL person segmentation with upload and download",
                                        "Filter/Effect/Video",
                                        "glsegment with what brings frames onto the GPU, as DMABUF without a copy, "
                                        "and off it where downstream wants that",
                                        "Sightglass");
}
