#include "segment/glsegment.h"

#include <memory>

#include "element/model_filter.h"
#include "gobject/guarded.h"
#include "gobject/owned.h"
#include "gobject/package.h"
#include "meta/mask_meta_type.h"
#include "segment/log.h"
#include "segment/mask_pad.h"
#include "segment/segment_properties.h"
#include "segment/segment_runtime.h"

#define GST_CAT_DEFAULT sightglass::segment_log()

namespace {

using sightglass::SegmentRuntime;

struct GstGLSegment {
  GstGLModelFilter parent;
  sightglass::MaskPad* masks;  // owned
  GstPadChainFunction chain;   // of the base class
};
struct GstGLSegmentClass {
  GstGLModelFilterClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(GstGLSegment, gst_gl_segment, gst_gl_model_filter_get_type())
GST_ELEMENT_REGISTER_DEFINE(glsegment, "glsegment", GST_RANK_NONE, gst_gl_segment_get_type())

namespace {

sightglass::MaskPad& masks_of(gpointer element) { return *static_cast<GstGLSegment*>(element)->masks; }
SegmentRuntime& runtime_of_segment(gpointer element) { return sightglass::runtime_of<SegmentRuntime>(element); }

GstPad* request_new_pad(GstElement* element, GstPadTemplate* pad_template, const gchar* /*name*/,
                        const GstCaps* /*caps*/) {
  if (!runtime_of_segment(element).makes_masks()) {
    GST_WARNING_OBJECT(element, "cannot create pad \"mask\": mask-source=meta makes no masks; use mask-source=model");
    return nullptr;
  }
  GstPad* pad = masks_of(element).request(GST_BASE_TRANSFORM(element), pad_template);
  if (pad == nullptr) GST_WARNING_OBJECT(element, "cannot create pad \"mask\": it exists already; release it first");
  GST_DEBUG_OBJECT(element, "requested pad: %" GST_PTR_FORMAT, pad);
  return pad;
}

void release_pad(GstElement* element, GstPad* pad) {
  GST_DEBUG_OBJECT(element, "released pad: %" GST_PTR_FORMAT, pad);
  masks_of(element).release(element, pad);
}

gboolean start(GstBaseTransform* transform) {
  runtime_of_segment(transform).need_masks(masks_of(transform).is_linked());
  return GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->start(transform);
}

gboolean sink_event(GstBaseTransform* transform, GstEvent* event) {
  masks_of(transform).note_event(transform, event, runtime_of_segment(transform).mask_size());
  return GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->sink_event(transform, event);
}

GstFlowReturn submit_input_buffer(GstBaseTransform* transform, gboolean is_discont, GstBuffer* input) {
  const GstClockTime time = GST_BUFFER_PTS(input), duration = GST_BUFFER_DURATION(input);
  const GstFlowReturn flow =
      GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->submit_input_buffer(transform, is_discont, input);
  if (sightglass::model_filter_has_dropped(transform, flow)) {
    masks_of(transform).push_gap(transform, time, duration, runtime_of_segment(transform).mask_size());
  }
  return flow;
}

GstFlowReturn transform(GstBaseTransform* transform, GstBuffer* input, GstBuffer* output) {
  sightglass::MaskPad& masks = masks_of(transform);
  SegmentRuntime& runtime = runtime_of_segment(transform);
  runtime.need_masks(masks.is_linked());
  const GstFlowReturn flow = GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->transform(transform, input, output);
  if (flow == GST_FLOW_OK) {
    masks.push(transform, output, runtime.mask_size());
  } else if (flow == GST_BASE_TRANSFORM_FLOW_DROPPED) {
    masks.push_gap(transform, GST_BUFFER_PTS(input), GST_BUFFER_DURATION(input), runtime.mask_size());
  }
  return flow;
}

// The base class handles only one source pad.
GstFlowReturn chain(GstPad* pad, GstObject* parent, GstBuffer* input) {
  const GstFlowReturn flow = reinterpret_cast<GstGLSegment*>(parent)->chain(pad, parent, input);
  return masks_of(parent).combine(GST_BASE_TRANSFORM(parent), flow);
}

}  // namespace

static void gst_gl_segment_init(GstGLSegment* self) {
  self->masks = new sightglass::MaskPad;
  GstPad* sink = GST_BASE_TRANSFORM_SINK_PAD(self);
  self->chain = GST_PAD_CHAINFUNC(sink);
  gst_pad_set_chain_function(sink, sightglass::guarded<chain>);
  sightglass::model_filter_set_runtime(self, std::make_unique<SegmentRuntime>());
}

static void gst_gl_segment_class_init(GstGLSegmentClass* klass) {
  klass->parent_class.log = sightglass::segment_log();
  sightglass::mask_meta_info();
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  sightglass::own<&GstGLSegment::masks>(object_class);
  sightglass::model_filter_pass_properties(object_class);
  sightglass::segment_properties().install(object_class);
  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  element_class->request_new_pad = sightglass::guarded<request_new_pad>;
  element_class->release_pad = sightglass::guarded<release_pad>;
  gst_element_class_add_pad_template(element_class, sightglass::MaskPad::make_template());
  GstBaseTransformClass* transform_class = GST_BASE_TRANSFORM_CLASS(klass);
  transform_class->start = sightglass::guarded<start>;
  transform_class->sink_event = sightglass::guarded<sink_event>;
  transform_class->submit_input_buffer = sightglass::guarded<submit_input_buffer>;
  transform_class->transform = sightglass::guarded<::transform>;
  gst_element_class_set_static_metadata(element_class, "OpenGL person segmentation", "Filter/Effect/Video",
                                        "Blurs, replaces or removes the background by a TFLite model that runs in "
                                        "the pipeline's own GL context",
                                        SIGHTGLASS_AUTHOR);
}
