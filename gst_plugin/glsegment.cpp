#include "glsegment.h"

#include <memory>

#include "mask_meta_type.h"
#include "mask_pad.h"
#include "model_filter.h"
#include "segment_properties.h"
#include "segment_runtime.h"

namespace {

using sightglass::SegmentRuntime;

struct GstGlSegment {
  GstSightglassModelFilter parent;
  sightglass::MaskPad* masks;  // owned
};
struct GstGlSegmentClass {
  GstSightglassModelFilterClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(GstGlSegment, gst_gl_segment, gst_sightglass_model_filter_get_type())
GST_ELEMENT_REGISTER_DEFINE(glsegment, "glsegment", GST_RANK_NONE, gst_gl_segment_get_type())

namespace {

sightglass::MaskPad& masks_of(gpointer element) { return *static_cast<GstGlSegment*>(element)->masks; }

void finalize(GObject* object) {
  delete &masks_of(object);
  G_OBJECT_CLASS(gst_gl_segment_parent_class)->finalize(object);
}

GstPad* request_new_pad(GstElement* element, GstPadTemplate* pad_template, const gchar* /*name*/,
                        const GstCaps* /*caps*/) {
  if (GST_STATE(element) > GST_STATE_READY || GST_STATE_NEXT(element) > GST_STATE_READY) {
    GST_WARNING_OBJECT(element, "the pad \"mask\" can be had in the states NULL and READY alone");
    return nullptr;
  }
  return masks_of(element).request(element, pad_template);
}

void release_pad(GstElement* element, GstPad* pad) { masks_of(element).release(element, pad); }

gboolean start(GstBaseTransform* transform) {
  sightglass::runtime_of<SegmentRuntime>(transform).need_masks(masks_of(transform).is_linked());
  return GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->start(transform);
}

gboolean sink_event(GstBaseTransform* transform, GstEvent* event) {
  masks_of(transform).note_event(transform, event);
  return GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->sink_event(transform, event);
}

GstFlowReturn transform(GstBaseTransform* transform, GstBuffer* input, GstBuffer* output) {
  const GstFlowReturn flow = GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->transform(transform, input, output);
  if (flow == GST_FLOW_OK) masks_of(transform).push(transform, output);
  return flow;
}

}  // namespace

static void gst_gl_segment_init(GstGlSegment* self) {
  self->masks = new sightglass::MaskPad;
  sightglass::model_filter_set_runtime(self, std::make_unique<SegmentRuntime>());
}

static void gst_gl_segment_class_init(GstGlSegmentClass* klass) {
  sightglass::mask_meta_info();
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  object_class->finalize = finalize;
  sightglass::model_filter_pass_properties(object_class);
  sightglass::install_segment_properties(object_class);
  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  element_class->request_new_pad = request_new_pad;
  element_class->release_pad = release_pad;
  gst_element_class_add_pad_template(element_class, sightglass::MaskPad::make_template());
  GstBaseTransformClass* transform_class = GST_BASE_TRANSFORM_CLASS(klass);
  transform_class->start = start;
  transform_class->sink_event = sink_event;
  transform_class->transform = ::transform;
  gst_element_class_set_static_metadata(element_class, "OpenGL person segmentation", "Filter/Effect/Video",
                                        "Blurs, replaces or removes the background by a TFLite model that runs in "
                                        "the pipeline's own GL context",
                                        "Sightglass");
}
