#include <gst/gl/gl.h>

#include <cstring>
#include <memory>

#include "element/model_bin.h"
#include "element/model_filter.h"
#include "gobject/guarded.h"
#include "gobject/log.h"
#include "meta/meta_types.h"
#include "segment/background_video.h"
#include "segment/mask_pad.h"
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
