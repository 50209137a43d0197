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

namespace sightglass {

// Posts failures as element messages, for elements that run models.

// Posts the failure as an element error with the domain and code that match its ErrorCode. Any thread.
void post_error(gpointer element, const Status& status) {
  const char* text = status.message().c_str();
  switch (status.code()) {
    case ErrorCode::kNotFound:
      GST_ELEMENT_ERROR(element, RESOURCE, NOT_FOUND, ("%s", text), (nullptr));
      return;
    case ErrorCode::kInvalidModel:
      GST_ELEMENT_ERROR(element, RESOURCE, READ, ("%s", text), (nullptr));
      return;
    case ErrorCode::kResourceExhausted:
    case ErrorCode::kOutOfMemory:
      GST_ELEMENT_ERROR(element, RESOURCE, NO_SPACE_LEFT, ("%s", text), (nullptr));
      return;
    case ErrorCode::kDeviceError:
    case ErrorCode::kInternal:
    case ErrorCode::kTimedOut:
      GST_ELEMENT_ERROR(element, RESOURCE, FAILED, ("%s", text), (nullptr));
      return;
    default:
      GST_ELEMENT_ERROR(element, LIBRARY, SETTINGS, ("%s", text), (nullptr));
  }
}

}  // namespace sightglass

namespace {

using sightglass::FrameQueue;
using sightglass::ModelRuntime;
using sightglass::post_error;
using sightglass::post_warning;
using sightglass::ResultsWait;
using sightglass::runtime_of;
using sightglass::Status;

}  // namespace

G_DEFINE_ABSTRACT_TYPE_WITH_CODE(GstGLModelFilter, gst_gl_model_filter, GST_TYPE_GL_BASE_FILTER,
                                 G_IMPLEMENT_INTERFACE(GST_TYPE_VIDEO_DIRECTION, nullptr))

namespace {

ModelRuntime& runtime_of_base(gpointer filter) { return runtime_of<ModelRuntime>(filter); }
FrameQueue& frames_of(gpointer filter) { return *static_cast<GstGLModelFilter*>(filter)->frames; }

// Pushes all held frames and results before whatever follows. Waits for the GPU once.
void drain(gpointer filter) {
  GST_DEBUG_OBJECT(filter, "draining: waiting for all results, pushing all held frames");
  frames_of(filter).arrive(runtime_of_base(filter).await_results(ResultsWait::kAll));
  frames_of(filter).drain();
}

GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(SIGHTGLASS_SINK_CAPS));
GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(SIGHTGLASS_SRC_CAPS));

void set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  const Status status = runtime_of_base(object).set_property(id, *spec, value, GST_STATE(object));
  if (!status.ok()) post_warning(object, status);
  if (sightglass::is_logged(GST_CAT_DEFAULT, GST_LEVEL_DEBUG)) {
    GST_DEBUG_OBJECT(object, "property %s %s", sightglass::property_text(*spec, *value).c_str(),
                     status.ok() ? "set" : "rejected");
  }
  // Width and height may swap.
  const bool turns = spec->value_type == GST_TYPE_VIDEO_ORIENTATION_METHOD;
  if (turns) gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(object));
}

const char* element_name(gpointer element) { return GST_OBJECT_NAME(gst_element_get_factory(GST_ELEMENT(element))); }

// Named after the element: "glsegment-stats".
GstStructure* make_stats(gpointer element) {
  sightglass::ElementStats& element_stats = runtime_of_base(element).stats();
  element_stats.request_skipped();
  const sightglass::ModelStats stats = element_stats.snapshot();
  const auto ns = [](double value) { return static_cast<guint64>(value); };
  const std::string name = std::string(element_name(element)) + "-stats";
  return gst_structure_new(name.c_str(), "model", G_TYPE_STRING, runtime_of_base(element).model_name().c_str(),
                           "frames", G_TYPE_UINT64, stats.frames, "inferences", G_TYPE_UINT64, stats.inferences,
                           "dropped", G_TYPE_UINT64, stats.dropped, "skipped", G_TYPE_UINT64, stats.skipped, "failures",
                           G_TYPE_UINT64, stats.failures, "early", G_TYPE_UINT64, stats.early, "model-time",
                           G_TYPE_UINT64, ns(stats.model_ns), "gpu-time", G_TYPE_UINT64, ns(stats.gpu_ns),
                           "gpu-time-p50", G_TYPE_UINT64, stats.gpu_p50_ns, "gpu-time-p95", G_TYPE_UINT64,
                           stats.gpu_p95_ns, "cpu-time", G_TYPE_UINT64, ns(stats.cpu_ns), "latency", G_TYPE_UINT64,
                           stats.latency_ns, "start-time", G_TYPE_UINT64, stats.start_ns, nullptr);
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  if (id == sightglass::kStats) {
    g_value_take_boxed(value, make_stats(object));
    return;
  }
  if (!runtime_of_base(object).get_property(id, value)) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

gboolean start(GstBaseTransform* transform) {
  ModelRuntime& runtime = runtime_of_base(transform);
  GST_DEBUG_OBJECT(transform, "starting");
  frames_of(transform).restart();
  g_atomic_int_set(&static_cast<GstGLModelFilter*>(static_cast<gpointer>(transform))->warned_of_formats, 0);
  if (const Status status = runtime.start(element_name(transform)); !status.ok()) {
    post_error(transform, status);
    return FALSE;
  }
  std::vector<std::string> warnings = runtime.warnings();
  if (const std::string warning = runtime.cache_warning(); !warning.empty()) warnings.push_back(warning);
  for (const std::string& warning : warnings) {
    GST_ELEMENT_WARNING(transform, LIBRARY, SETTINGS, ("%s", warning.c_str()), (nullptr));
  }
  return GST_BASE_TRANSFORM_CLASS(gst_gl_model_filter_parent_class)->start(transform);
}

gboolean stop(GstBaseTransform* transform) {
  GST_DEBUG_OBJECT(transform, "stopping");
  runtime_of_base(transform).drop_results();
  frames_of(transform).clear();
  runtime_of_base(transform).cancel_change();
  // The parent stops the GL part first.
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS(gst_gl_model_filter_parent_class)->stop(transform);
  runtime_of_base(transform).stop();
  return stopped;
}

gboolean gl_start(GstGLBaseFilter* filter) {
  GST_DEBUG_OBJECT(filter, "starting on %" GST_PTR_FORMAT, filter->context);
  const Status status = runtime_of_base(filter).attach(filter->context);
  if (!status.ok()) {
    post_error(filter, status);
    return FALSE;
  }
  // The output pool, if any, belongs to the previous context.
  if (GstBufferPool* pool = gst_base_transform_get_buffer_pool(GST_BASE_TRANSFORM(filter))) {
    gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(filter));
    gst_object_unref(pool);
  }
  return TRUE;
}

void gl_stop(GstGLBaseFilter* filter) {
  GST_DEBUG_OBJECT(filter, "leaving %" GST_PTR_FORMAT, filter->context);
  runtime_of_base(filter).detach();
}

gboolean gl_set_caps(GstGLBaseFilter* filter, GstCaps* input, GstCaps* output) {
  const std::optional<sightglass::FrameFormat> format = sightglass::frame_format_of(input);
  GstVideoInfo info;
  if (!format || !gst_video_info_from_caps(&info, output)) return FALSE;
  const Status status = runtime_of_base(filter).set_caps(*format, info);
  if (!status.ok()) post_error(filter, status);
  return status.ok();
}

gboolean sink_event(GstBaseTransform* transform, GstEvent* event) {
  ModelRuntime& runtime = runtime_of_base(transform);
  const GstEventType type = GST_EVENT_TYPE(event);
  GST_DEBUG_OBJECT(transform, "sink pad: %" GST_PTR_FORMAT, event);
  const bool begins_anew = type == GST_EVENT_STREAM_START || type == GST_EVENT_SEGMENT;
  const bool drains = begins_anew || type == GST_EVENT_EOS || type == GST_EVENT_SEGMENT_DONE || type == GST_EVENT_GAP;
  if (drains) drain(transform);
  if (type == GST_EVENT_FLUSH_STOP) {
    runtime.drop_results();
    frames_of(transform).clear();
  }
  if (begins_anew || type == GST_EVENT_FLUSH_STOP) runtime.forget();
  if (type == GST_EVENT_STREAM_START) {
    runtime.forget_tags();
    gst_base_transform_reconfigure_src(transform);
  } else if (type == GST_EVENT_TAG) {
    GstTagList* tags = nullptr;
    gst_event_parse_tag(event, &tags);
    const bool upright = runtime.read_tags(tags);
    gst_base_transform_reconfigure_src(transform);
    if (upright) {
      GstEvent* changed = sightglass::upright_tag_event(event);
      gst_event_unref(event);
      event = changed;
    }
  }
  // For caps, set_caps() pushes the held frames first.
  const bool keeps_place = GST_EVENT_IS_SERIALIZED(event) && type != GST_EVENT_CAPS && type != GST_EVENT_FLUSH_STOP;
  if (keeps_place && frames_of(transform).hold(event)) return TRUE;
  return GST_BASE_TRANSFORM_CLASS(gst_gl_model_filter_parent_class)->sink_event(transform, event);
}

gboolean src_event(GstBaseTransform* transform, GstEvent* event) {
  // QoS events arrive with every frame.
  const GstDebugLevel level = GST_EVENT_TYPE(event) == GST_EVENT_QOS ? GST_LEVEL_LOG : GST_LEVEL_DEBUG;
  GST_CAT_LEVEL_LOG(GST_CAT_DEFAULT, level, transform, "src pad: %" GST_PTR_FORMAT, event);
  if (GST_EVENT_TYPE(event) == GST_EVENT_NAVIGATION) {
    GstCaps* caps = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SRC_PAD(transform));
    GstVideoInfo info;
    if (caps != nullptr && gst_video_info_from_caps(&info, caps)) {
      event = sightglass::stored_navigation_event(event, runtime_of_base(transform).orientation(),
                                                  GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info));
    }
    gst_clear_caps(&caps);
  }
  return GST_BASE_TRANSFORM_CLASS(gst_gl_model_filter_parent_class)->src_event(transform, event);
}

// Everything is possible until there is a context.
bool external_textures_are_possible(gpointer self) {
  GstGLContext* context = gst_gl_base_filter_get_gl_context(GST_GL_BASE_FILTER(self));
  if (context == nullptr) return true;
  const bool possible = sightglass::samples_external_textures(context);
  gst_object_unref(context);
  return possible;
}

void explain_answer(GstBaseTransform* transform, GstQuery* query) {
  const std::string refusal = sightglass::refusal_of_answer(transform, query);
  auto* self = static_cast<GstGLModelFilter*>(static_cast<gpointer>(transform));
  if (refusal.empty() || !g_atomic_int_compare_and_exchange(&self->warned_of_formats, 0, 1)) return;
  post_warning(transform, sightglass::unsupported(refusal));
}

// The pad rejects caps that it does not offer silently, before the element gets their event.
GstPadProbeReturn explain_refusal(GstPad* /*pad*/, GstPadProbeInfo* info, gpointer self) {
  GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_PAD_PROBE_OK;
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  if (!sightglass::fits_sink_pad(GST_BASE_TRANSFORM(self), caps)) {
    const std::string refusal = sightglass::refusal_of(caps);
    if (!refusal.empty()) post_error(self, sightglass::unsupported(refusal));
    return GST_PAD_PROBE_OK;
  }
  const std::optional<sightglass::FrameFormat> format = sightglass::frame_format_of(caps);
  if (!format || format->kind != sightglass::FrameKind::kExternal || external_textures_are_possible(self)) {
    return GST_PAD_PROBE_OK;
  }
  post_error(self, sightglass::unsupported(
                       "sink: cannot sample external textures (texture-target=external-oes): the GL context lacks "
                       "GL_OES_EGL_image_external_essl3; use 2D textures (put glcolorconvert upstream, which converts "
                       "if it can), or OpenGL ES (GST_GL_API=gles2), which usually has the extension"));
  return GST_PAD_PROBE_OK;
}

GstCaps* transform_caps(GstBaseTransform* transform, GstPadDirection direction, GstCaps* caps, GstCaps* filter) {
  const ModelRuntime& runtime = runtime_of_base(transform);
  GstCaps* result = sightglass::transform_frame_caps(
      direction, caps,
      {swaps_axes(runtime.orientation()), external_textures_are_possible(transform), runtime.own_size()});
  GST_DEBUG_OBJECT(transform, "%s caps %" GST_PTR_FORMAT " transform to %" GST_PTR_FORMAT,
                   direction == GST_PAD_SINK ? "sink" : "src", caps, result);
  return sightglass::filtered(result, filter);
}

GstCaps* fixate_caps(GstBaseTransform* transform, GstPadDirection direction, GstCaps* caps, GstCaps* others) {
  GstCaps* fixed =
      GST_BASE_TRANSFORM_CLASS(gst_gl_model_filter_parent_class)->fixate_caps(transform, direction, caps, others);
  if (direction != GST_PAD_SINK) return fixed;
  fixed = gst_caps_make_writable(fixed);
  sightglass::set_output_colorimetry(caps, fixed);
  GST_DEBUG_OBJECT(transform, "fixated src caps to %" GST_PTR_FORMAT, fixed);
  return fixed;
}

// Called only if the caps of either pad change, before downstream receives the new ones.
gboolean set_caps(GstBaseTransform* transform, GstCaps* input, GstCaps* output) {
  GST_INFO_OBJECT(transform, "caps: %" GST_PTR_FORMAT " to %" GST_PTR_FORMAT, input, output);
  drain(transform);
  FrameQueue& queue = frames_of(transform);
  GstVideoInfo info;
  const bool timed = gst_video_info_from_caps(&info, output) && GST_VIDEO_INFO_FPS_N(&info) > 0;
  queue.set_frame_duration(timed ? gst_util_uint64_scale(GST_SECOND, static_cast<guint64>(GST_VIDEO_INFO_FPS_D(&info)),
                                                         static_cast<guint64>(GST_VIDEO_INFO_FPS_N(&info)))
                                 : 0);
  queue.set_policy(runtime_of_base(transform).results_policy());
  runtime_of_base(transform).stats().note_held_time(queue.held_time());
  return GST_BASE_TRANSFORM_CLASS(gst_gl_model_filter_parent_class)->set_caps(transform, input, output);
}

gboolean get_unit_size(GstBaseTransform* /*transform*/, GstCaps* caps, gsize* size) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) return FALSE;
  *size = info.size;
  return TRUE;
}

gboolean propose_allocation(GstBaseTransform* transform, GstQuery* decide_query, GstQuery* query) {
  if (!GST_BASE_TRANSFORM_CLASS(gst_gl_model_filter_parent_class)->propose_allocation(transform, decide_query, query)) {
    return FALSE;
  }
  GstGLBaseFilter* filter = GST_GL_BASE_FILTER(transform);
  if (!gst_gl_base_filter_find_gl_context(filter)) return FALSE;
  GstGLContext* context = gst_gl_base_filter_get_gl_context(filter);
  gboolean need_pool = FALSE;
  gst_query_parse_allocation(query, nullptr, &need_pool);
  const bool answered = sightglass::propose_gl_allocation(context, query, need_pool != FALSE);
  gst_object_unref(context);
  GST_DEBUG_OBJECT(transform, "proposing to upstream: %" GST_PTR_FORMAT, query);
  return answered;
}

gboolean decide_allocation(GstBaseTransform* transform, GstQuery* query) {
  // Finds or creates the GL context, which calls gl_start() and gl_set_caps().
  if (!GST_BASE_TRANSFORM_CLASS(gst_gl_model_filter_parent_class)->decide_allocation(transform, query)) return FALSE;
  GstGLContext* context = gst_gl_base_filter_get_gl_context(GST_GL_BASE_FILTER(transform));
  if (context == nullptr) return FALSE;
  const bool decided = sightglass::decide_gl_allocation(context, query);
  gst_object_unref(context);
  GST_DEBUG_OBJECT(transform, "decided with downstream: %" GST_PTR_FORMAT, query);
  return decided;
}

gboolean query(GstBaseTransform* transform, GstPadDirection direction, GstQuery* query) {
  if (GST_QUERY_TYPE(query) == GST_QUERY_DRAIN && direction == GST_PAD_SINK) {
    drain(transform);
    runtime_of_base(transform).release_inputs();  // upstream needs its buffers back
  }
  if (!GST_BASE_TRANSFORM_CLASS(gst_gl_model_filter_parent_class)->query(transform, direction, query)) return FALSE;
  if (GST_QUERY_TYPE(query) == GST_QUERY_CAPS && direction == GST_PAD_SINK) explain_answer(transform, query);
  if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY && direction == GST_PAD_SRC) {
    gboolean live = FALSE;
    GstClockTime least = 0, most = GST_CLOCK_TIME_NONE;
    gst_query_parse_latency(query, &live, &least, &most);
    const GstClockTime own = runtime_of_base(transform).stats().snapshot().latency_ns;
    gst_query_set_latency(query, live, least + own, GST_CLOCK_TIME_IS_VALID(most) ? most + own : most);
    GST_DEBUG_OBJECT(transform, "latency: %" GST_TIME_FORMAT " upstream and %" GST_TIME_FORMAT " here",
                     GST_TIME_ARGS(least), GST_TIME_ARGS(own));
  }
  GST_LOG_OBJECT(transform, "%s pad: %" GST_PTR_FORMAT, direction == GST_PAD_SINK ? "sink" : "src", query);
  return TRUE;
}

void before_transform(GstBaseTransform* transform, GstBuffer* buffer) {
  if (transform->segment.format != GST_FORMAT_TIME) return;
  const GstClockTime time = gst_segment_to_stream_time(&transform->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  if (GST_CLOCK_TIME_IS_VALID(time)) gst_object_sync_values(GST_OBJECT(transform), time);
}

// Results of upstream elements stay on frames whose content keeps its position.
gboolean transform_meta(GstBaseTransform* transform, GstBuffer* output, GstMeta* meta, GstBuffer* input) {
  const GType api = meta->info->api;
  if (api != sightglass::results_meta_info()->api && api != GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE) {
    return GST_BASE_TRANSFORM_CLASS(gst_gl_model_filter_parent_class)->transform_meta(transform, output, meta, input);
  }
  const std::optional<sightglass::OwnSize> own = runtime_of_base(transform).own_size();
  // Results are in fractions of the frame, regions in pixels.
  const bool resized = own && (own->seen_width > 0 || api == GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
  const bool moved = resized || runtime_of_base(transform).orientation() != sightglass::Orientation::kIdentity ||
                     gst_buffer_get_video_affine_transformation_meta(input) != nullptr ||
                     gst_buffer_get_video_crop_meta(input) != nullptr;
  return moved ? FALSE : TRUE;
}

// Called before caps negotiation: the next model may need other caps. Returns false if the stream ends.
bool follow_model(GstBaseTransform* transform) {
  const sightglass::ModelNews news = runtime_of_base(transform).follow_model();
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
    runtime_of_base(transform).stats().note_dropped();
    if (!queue.is_empty()) {
      queue.arrive(runtime_of_base(transform).await_results(ResultsWait::kNone));
      queue.push_ready();
    }
  }
  return flow;
}

GstFlowReturn transform(GstBaseTransform* transform, GstBuffer* input, GstBuffer* output) {
  ModelRuntime& runtime = runtime_of_base(transform);
  GST_LOG_OBJECT(transform, "input: %" GST_PTR_FORMAT, input);
  GstGLContext* context = gst_gl_base_filter_get_gl_context(GST_GL_BASE_FILTER(transform));
  if (context == nullptr) return GST_FLOW_NOT_NEGOTIATED;
  const sightglass::Result<bool> ready = runtime.prepare(context);
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
  if (const Status status = runtime.before_frame(); !status.ok()) post_warning(transform, status);
  FrameQueue& queue = frames_of(transform);
  queue.set_policy(runtime.results_policy());
  // Block as a full queue does: with the GPU so far behind, another frame would only be held longer.
  if (queue.is_full()) {
    GST_LOG_OBJECT(transform, "queue is full: waiting for the oldest results");
    queue.arrive(runtime.await_results(ResultsWait::kOldest));
  }
  const auto ticket = runtime.process(input, output);
  if (!ticket.ok()) {
    post_error(transform, ticket.status());
    return GST_FLOW_ERROR;
  }
  GST_LOG_OBJECT(transform, "frame %" G_GUINT64_FORMAT " issued to the GPU%s", ticket->number,
                 ticket->awaits_results ? ", results pending" : "");
  queue.arrive(runtime.take_results());
  queue.expect(*ticket);
  if (const std::string failure = runtime.stats().take_failure(); !failure.empty()) {
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
  ModelRuntime& runtime = runtime_of_base(transform);
  FrameQueue& queue = frames_of(transform);
  if (*output != nullptr) queue.add(*output);
  *output = queue.next();
  GST_LOG_OBJECT(transform, "output: %" GST_PTR_FORMAT, *output);
  runtime.stats().note_held_time(queue.held_time());
  if (runtime.stats().take_latency_change()) {
    GST_DEBUG_OBJECT(transform, "the latency has changed");
    gst_element_post_message(GST_ELEMENT(transform), gst_message_new_latency(GST_OBJECT(transform)));
  }
  return GST_FLOW_OK;
}

}  // namespace

static void gst_gl_model_filter_init(GstGLModelFilter* self) {
  self->frames = new FrameQueue(GST_ELEMENT(self), GST_BASE_TRANSFORM_SRC_PAD(self));
  gst_pad_add_probe(GST_BASE_TRANSFORM_SINK_PAD(self), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    sightglass::guarded<explain_refusal>, self, nullptr);
}

static void gst_gl_model_filter_class_init(GstGLModelFilterClass* klass) {
  klass->log = sightglass::base_log();
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  sightglass::own<&GstGLModelFilter::frames, &GstGLModelFilter::runtime>(object_class);
  sightglass::model_filter_pass_properties(object_class);
  sightglass::install_model_properties(object_class);
  gst_type_mark_as_plugin_api(gst_gl_model_filter_get_type(), static_cast<GstPluginAPIFlags>(0));

  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element_class, &sink_template);
  gst_element_class_add_static_pad_template(element_class, &src_template);

  GstBaseTransformClass* transform_class = GST_BASE_TRANSFORM_CLASS(klass);
  transform_class->start = sightglass::guarded<start>;
  transform_class->stop = sightglass::guarded<stop>;
  transform_class->sink_event = sightglass::guarded<sink_event>;
  transform_class->src_event = sightglass::guarded<src_event>;
  transform_class->transform_caps = sightglass::guarded<transform_caps>;
  transform_class->fixate_caps = sightglass::guarded<fixate_caps>;
  transform_class->set_caps = sightglass::guarded<set_caps>;
  transform_class->get_unit_size = sightglass::guarded<get_unit_size>;
  transform_class->propose_allocation = sightglass::guarded<propose_allocation>;
  transform_class->decide_allocation = sightglass::guarded<decide_allocation>;
  transform_class->query = sightglass::guarded<query>;
  transform_class->before_transform = sightglass::guarded<before_transform>;
  transform_class->transform_meta = sightglass::guarded<transform_meta>;
  transform_class->submit_input_buffer = sightglass::guarded<submit_input_buffer>;
  transform_class->transform = sightglass::guarded<::transform>;
  transform_class->generate_output = sightglass::guarded<generate_output>;

  GstGLBaseFilterClass* filter_class = GST_GL_BASE_FILTER_CLASS(klass);
  filter_class->supported_gl_api = static_cast<GstGLAPI>(GST_GL_API_GLES2 | GST_GL_API_OPENGL3 | GST_GL_API_OPENGL);
  filter_class->gl_start = sightglass::guarded<gl_start>;
  filter_class->gl_stop = sightglass::guarded<gl_stop>;
  filter_class->gl_set_caps = sightglass::guarded<gl_set_caps>;
}

namespace sightglass {

GstDebugCategory* element_log() {
  GObject* object = log_object();
  const GType type = gst_gl_model_filter_get_type();
  if (object == nullptr || !G_TYPE_CHECK_INSTANCE_TYPE(object, type)) return base_log();
  return G_TYPE_INSTANCE_GET_CLASS(object, type, GstGLModelFilterClass)->log;
}

void model_filter_set_runtime(gpointer filter, std::unique_ptr<ModelRuntime> runtime) {
  static_cast<GstGLModelFilter*>(filter)->runtime = runtime.release();
}

bool model_filter_has_dropped(GstBaseTransform* filter, GstFlowReturn flow) {
  return flow >= GST_FLOW_OK && filter->queued_buf == nullptr;
}

void model_filter_pass_properties(GObjectClass* object_class) {
  object_class->set_property = sightglass::guarded<set_property>;
  object_class->get_property = sightglass::guarded<get_property>;
}

}  // namespace sightglass
