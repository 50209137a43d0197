#include "element/model_filter.h"

#include <gst/gst.h>
#include <gst/video/gstvideoaffinetransformationmeta.h>
#include <gst/video/video.h>

#include <optional>
#include <string>

#include "gl/frame_caps.h"
#include "gl/gl_bridge.h"
#include "gl/orientation.h"
#include "gobject/guarded.h"
#include "gobject/log.h"
#include "gobject/properties.h"
#include "meta/meta_types.h"
#include "sightglass/status.h"

#define GST_CAT_DEFAULT sightglass::element_log()

namespace {

using sightglass::element_of;
using sightglass::FrameQueue;
using sightglass::model_filter_drain;
using sightglass::ModelElement;
using sightglass::post_error;
using sightglass::post_warning;
using sightglass::ResultsWait;
using sightglass::Status;

}  // namespace

G_DEFINE_ABSTRACT_TYPE_WITH_CODE(GstGLModelFilter, gst_gl_model_filter, GST_TYPE_GL_BASE_FILTER,
                                 G_IMPLEMENT_INTERFACE(GST_TYPE_VIDEO_DIRECTION, nullptr))

namespace {

FrameQueue& frames_of(gpointer filter) { return *static_cast<GstGLModelFilter*>(filter)->frames; }

GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(SIGHTGLASS_SINK_CAPS));
GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(SIGHTGLASS_SRC_CAPS));

void set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  ModelElement& element = element_of(object);
  const std::optional<sightglass::OwnSize> size = element.own_size();
  const Status status = element.settings.set(id, *spec, value, GST_STATE(object));
  if (!status.ok()) post_warning(object, status);
  if (sightglass::is_logged(GST_CAT_DEFAULT, GST_LEVEL_DEBUG)) {
    GST_DEBUG_OBJECT(object, "property %s %s", sightglass::property_text(*spec, *value).c_str(),
                     status.ok() ? "set" : "rejected");
  }
  // Width and height may swap; an output size of the element's own may depend on its properties.
  const bool turns = spec->value_type == GST_TYPE_VIDEO_ORIENTATION_METHOD;
  if (turns || element.own_size() != size) gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(object));
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  if (id == sightglass::kStats) {
    ModelElement& element = element_of(object);
    element.stats.request_skipped();
    // Named after the element: "glsegment-stats".
    const std::string name = std::string(GST_OBJECT_NAME(gst_element_get_factory(GST_ELEMENT(object)))) + "-stats";
    g_value_take_boxed(value, element.stats.snapshot().to_structure(name, element.settings.model().value_or("")));
    return;
  }
  if (!element_of(object).get_property(id, value)) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

gboolean start(GstBaseTransform* transform) {
  ModelElement& element = element_of(transform);
  GST_DEBUG_OBJECT(transform, "starting");
  frames_of(transform).restart();
  g_atomic_int_set(&static_cast<GstGLModelFilter*>(static_cast<gpointer>(transform))->warned_of_formats, 0);
  if (const Status status = element.start(); !status.ok()) {
    post_error(transform, status);
    return FALSE;
  }
  for (const std::string& warning : element.warnings()) {
    GST_ELEMENT_WARNING(transform, LIBRARY, SETTINGS, ("%s", warning.c_str()), (nullptr));
  }
  return GST_BASE_TRANSFORM_CLASS(gst_gl_model_filter_parent_class)->start(transform);
}

gboolean stop(GstBaseTransform* transform) {
  GST_DEBUG_OBJECT(transform, "stopping");
  ModelElement& element = element_of(transform);
  element.gl.drop_results();
  frames_of(transform).clear();
  element.swap.cancel();
  // The parent stops the GL part first.
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS(gst_gl_model_filter_parent_class)->stop(transform);
  element.stop();
  return stopped;
}

void before_transform(GstBaseTransform* transform, GstBuffer* buffer) {
  if (transform->segment.format != GST_FORMAT_TIME) return;
  const GstClockTime time = gst_segment_to_stream_time(&transform->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  if (GST_CLOCK_TIME_IS_VALID(time)) gst_object_sync_values(GST_OBJECT(transform), time);
}

// Called before caps negotiation: the next model may need other caps. Returns false if the stream ends.
bool follow_model(GstBaseTransform* transform) {
  const sightglass::ModelNews news = element_of(transform).swap.follow();
  for (const std::string& warning : news.warnings) {
    GST_ELEMENT_WARNING(transform, LIBRARY, SETTINGS, ("%s", warning.c_str()), (nullptr));
  }
  if (news.changed) gst_base_transform_reconfigure_src(transform);
  if (!news.failure.ok()) post_error(transform, news.failure);
  return news.failure.ok();
}

GstFlowReturn submit_input_buffer(GstBaseTransform* transform, gboolean is_discont, GstBuffer* input) {
  if (!follow_model(transform)) {
    gst_buffer_unref(input);
    return GST_FLOW_ERROR;
  }
  const GstFlowReturn flow =
      GST_BASE_TRANSFORM_CLASS(gst_gl_model_filter_parent_class)->submit_input_buffer(transform, is_discont, input);
  FrameQueue& queue = frames_of(transform);
  queue.expect_discont(is_discont != FALSE);
  if (sightglass::model_filter_has_dropped(transform, flow)) {
    GST_LOG_OBJECT(transform, "late frame dropped by QoS");
    element_of(transform).stats.note_dropped();
    if (!queue.is_empty()) {
      queue.arrive(element_of(transform).gl.await_results(ResultsWait::kNone));
      queue.push_ready();
    }
  }
  return flow;
}

GstFlowReturn transform(GstBaseTransform* transform, GstBuffer* input, GstBuffer* output) {
  ModelElement& element = element_of(transform);
  GST_LOG_OBJECT(transform, "input: %" GST_PTR_FORMAT, input);
  GstGLContext* context = gst_gl_base_filter_get_gl_context(GST_GL_BASE_FILTER(transform));
  if (context == nullptr) return GST_FLOW_NOT_NEGOTIATED;
  const sightglass::Result<bool> ready = element.gl.prepare(context);
  gst_object_unref(context);
  if (!ready.ok()) {
    post_error(transform, ready.status());
    return GST_FLOW_ERROR;
  }
  if (!*ready) {
    // If data already flows, pads accept caps and frames before and during start(). Caps are negotiated again for the
    // next frame.
    GST_WARNING_OBJECT(transform, "dropping a frame received while the element was starting");
    gst_base_transform_reconfigure_src(transform);
    return GST_BASE_TRANSFORM_FLOW_DROPPED;
  }
  if (const Status status = element.update_frame_settings(); !status.ok()) post_warning(transform, status);
  FrameQueue& queue = frames_of(transform);
  queue.set_policy(element.frame_settings()->results_policy());
  // Block as a full queue does: with the GPU so far behind, another frame would only be held longer.
  if (queue.is_full()) {
    GST_LOG_OBJECT(transform, "queue is full: waiting for the oldest results");
    queue.arrive(element.gl.await_results(ResultsWait::kOldest));
  }
  const auto ticket = element.gl.process(input, output, element.frame_settings());
  if (!ticket.ok()) {
    post_error(transform, ticket.status());
    return GST_FLOW_ERROR;
  }
  GST_LOG_OBJECT(transform, "frame %" G_GUINT64_FORMAT " issued to the GPU%s", ticket->number,
                 ticket->awaits_results ? ", results pending" : "");
  // The first frame does not compete with the compiler, and nothing else has to arrive for it to begin.
  element.swap.begin_start();
  queue.arrive(element.gl.take_results());
  queue.expect(*ticket);
  if (const std::string failure = element.stats.take_failure(); !failure.empty()) {
    GST_ELEMENT_WARNING(
        transform, RESOURCE, FAILED,
        ("no result for this frame and following ones until the model works again: %s", failure.c_str()),
        ("showing them according to on-failure"));
  }
  return GST_FLOW_OK;
}

// Called until it returns no frame.
GstFlowReturn generate_output(GstBaseTransform* transform, GstBuffer** output) {
  const GstFlowReturn flow =
      GST_BASE_TRANSFORM_CLASS(gst_gl_model_filter_parent_class)->generate_output(transform, output);
  if (flow != GST_FLOW_OK) return flow;
  ModelElement& element = element_of(transform);
  FrameQueue& queue = frames_of(transform);
  if (*output != nullptr) queue.add(*output);
  *output = queue.next();
  GST_LOG_OBJECT(transform, "output: %" GST_PTR_FORMAT, *output);
  element.stats.note_held_time(queue.held_time());
  if (element.stats.take_latency_change()) {
    GST_DEBUG_OBJECT(transform, "the latency has changed");
    gst_element_post_message(GST_ELEMENT(transform), gst_message_new_latency(GST_OBJECT(transform)));
  }
  return GST_FLOW_OK;
}

}  // namespace

static void gst_gl_model_filter_init(GstGLModelFilter* self) {
  self->frames = new FrameQueue(GST_ELEMENT(self), GST_BASE_TRANSFORM_SRC_PAD(self));
  sightglass::model_filter_explain_refusals(self);
}

static void gst_gl_model_filter_class_init(GstGLModelFilterClass* klass) {
  klass->log = sightglass::base_log();
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  sightglass::own<&GstGLModelFilter::frames, &GstGLModelFilter::element>(object_class);
  sightglass::model_filter_pass_properties(object_class);
  sightglass::install_common_properties(object_class);
  gst_type_mark_as_plugin_api(gst_gl_model_filter_get_type(), static_cast<GstPluginAPIFlags>(0));

  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element_class, &sink_template);
  gst_element_class_add_static_pad_template(element_class, &src_template);

  GstBaseTransformClass* transform_class = GST_BASE_TRANSFORM_CLASS(klass);
  sightglass::model_filter_negotiate(GST_GL_BASE_FILTER_CLASS(klass),
                                     GST_BASE_TRANSFORM_CLASS(gst_gl_model_filter_parent_class));
  transform_class->start = sightglass::guarded<start>;
  transform_class->stop = sightglass::guarded<stop>;
  transform_class->before_transform = sightglass::guarded<before_transform>;
  transform_class->submit_input_buffer = sightglass::guarded<submit_input_buffer>;
  transform_class->transform = sightglass::guarded<::transform>;
  transform_class->generate_output = sightglass::guarded<generate_output>;
}

namespace sightglass {

GstDebugCategory* element_log() {
  GObject* object = log_object();
  const GType type = gst_gl_model_filter_get_type();
  if (object == nullptr || !G_TYPE_CHECK_INSTANCE_TYPE(object, type)) return base_log();
  return G_TYPE_INSTANCE_GET_CLASS(object, type, GstGLModelFilterClass)->log;
}

void model_filter_set_element(gpointer filter, std::unique_ptr<ModelElement> element) {
  static_cast<GstGLModelFilter*>(filter)->element = element.release();
}

void model_filter_drain(gpointer filter) {
  GST_DEBUG_OBJECT(filter, "draining: waiting for all results, pushing all held frames");
  frames_of(filter).arrive(element_of(filter).gl.await_results(ResultsWait::kAll));
  frames_of(filter).drain();
}

bool model_filter_has_dropped(GstBaseTransform* filter, GstFlowReturn flow) {
  return flow >= GST_FLOW_OK && filter->queued_buf == nullptr;
}

void model_filter_pass_properties(GObjectClass* object_class) {
  object_class->set_property = sightglass::guarded<set_property>;
  object_class->get_property = sightglass::guarded<get_property>;
}

}  // namespace sightglass
