#include "model_filter.h"

#include <gst/video/gstvideoaffinetransformationmeta.h>
#include <gst/video/video.h>

#include <optional>
#include <string>

#include "frame_caps.h"
#include "gl_bridge.h"
#include "orientation.h"
#include "results_meta_type.h"

GST_DEBUG_CATEGORY_STATIC(gst_sightglass_model_filter_debug);
#define GST_CAT_DEFAULT gst_sightglass_model_filter_debug

namespace {

using sightglass::ModelRuntime;
using sightglass::post_error;
using sightglass::runtime_of;
using sightglass::Status;

}  // namespace

G_DEFINE_ABSTRACT_TYPE_WITH_CODE(GstSightglassModelFilter, gst_sightglass_model_filter, GST_TYPE_GL_BASE_FILTER,
                                 G_IMPLEMENT_INTERFACE(GST_TYPE_VIDEO_DIRECTION, nullptr))

namespace {

ModelRuntime& runtime_of_base(gpointer filter) { return runtime_of<ModelRuntime>(filter); }

GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(SIGHTGLASS_SINK_CAPS));
GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(SIGHTGLASS_SRC_CAPS));

void finalize(GObject* object) {
  delete &runtime_of_base(object);
  G_OBJECT_CLASS(gst_sightglass_model_filter_parent_class)->finalize(object);
}

void set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  if (!runtime_of_base(object).set_property(id, value)) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  // Width and height may change places.
  if (id == sightglass::kVideoDirection) gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(object));
}

const char* element_name(gpointer element) { return GST_OBJECT_NAME(gst_element_get_factory(GST_ELEMENT(element))); }

// Named after the element: "glsegment-stats".
GstStructure* make_stats(gpointer element) {
  const sightglass::ModelStats stats = runtime_of_base(element).stats();
  const auto ns = [](double value) { return static_cast<guint64>(value); };
  const std::string name = std::string(element_name(element)) + "-stats";
  return gst_structure_new(name.c_str(), "frames", G_TYPE_UINT64, stats.frames, "inferences", G_TYPE_UINT64,
                           stats.inferences, "dropped", G_TYPE_UINT64, stats.dropped, "skipped", G_TYPE_UINT64,
                           stats.skipped, "failures", G_TYPE_UINT64, stats.failures, "model-time", G_TYPE_UINT64,
                           ns(stats.model_ns), "gpu-time", G_TYPE_UINT64, ns(stats.gpu_ns), "gpu-time-p50",
                           G_TYPE_UINT64, stats.gpu_p50_ns, "gpu-time-p95", G_TYPE_UINT64, stats.gpu_p95_ns, "cpu-time",
                           G_TYPE_UINT64, ns(stats.cpu_ns), "latency", G_TYPE_UINT64, stats.latency_ns, "start-time",
                           G_TYPE_UINT64, stats.start_ns, nullptr);
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
  if (const Status status = runtime.start(element_name(transform)); !status.ok()) {
    post_error(transform, status);
    return FALSE;
  }
  if (const std::string warning = runtime.warning(); !warning.empty()) {
    GST_ELEMENT_WARNING(transform, LIBRARY, SETTINGS, ("%s", warning.c_str()), (nullptr));
  }
  return GST_BASE_TRANSFORM_CLASS(gst_sightglass_model_filter_parent_class)->start(transform);
}

gboolean stop(GstBaseTransform* transform) {
  // The parent stops the GL part first.
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS(gst_sightglass_model_filter_parent_class)->stop(transform);
  runtime_of_base(transform).stop();
  return stopped;
}

gboolean gl_start(GstGLBaseFilter* filter) {
  const Status status = runtime_of_base(filter).attach(filter->context);
  if (!status.ok()) {
    post_error(filter, status);
    return FALSE;
  }
  // The output pool, if there is one, belongs to the context before this one.
  if (GstBufferPool* pool = gst_base_transform_get_buffer_pool(GST_BASE_TRANSFORM(filter))) {
    gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(filter));
    gst_object_unref(pool);
  }
  return TRUE;
}

void gl_stop(GstGLBaseFilter* filter) { runtime_of_base(filter).detach(); }

gboolean gl_set_caps(GstGLBaseFilter* filter, GstCaps* input, GstCaps* output) {
  const std::optional<sightglass::FrameFormat> format = sightglass::frame_format_of(input);
  GstVideoInfo info;
  if (!format || !gst_video_info_from_caps(&info, output)) return FALSE;
  const Status status = runtime_of_base(filter).set_caps(filter->context, *format, info);
  if (!status.ok()) post_error(filter, status);
  return status.ok();
}

gboolean sink_event(GstBaseTransform* transform, GstEvent* event) {
  ModelRuntime& runtime = runtime_of_base(transform);
  const GstEventType type = GST_EVENT_TYPE(event);
  const bool begins_anew = type == GST_EVENT_STREAM_START || type == GST_EVENT_SEGMENT;
  if (begins_anew || type == GST_EVENT_EOS) runtime.end_of_stream();
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
  return GST_BASE_TRANSFORM_CLASS(gst_sightglass_model_filter_parent_class)->sink_event(transform, event);
}

gboolean src_event(GstBaseTransform* transform, GstEvent* event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_NAVIGATION) {
    GstCaps* caps = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SRC_PAD(transform));
    GstVideoInfo info;
    if (caps != nullptr && gst_video_info_from_caps(&info, caps)) {
      event = sightglass::stored_navigation_event(event, runtime_of_base(transform).orientation(),
                                                  GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info));
    }
    gst_clear_caps(&caps);
  }
  return GST_BASE_TRANSFORM_CLASS(gst_sightglass_model_filter_parent_class)->src_event(transform, event);
}

// Everything is possible while there is no context yet.
bool external_textures_are_possible(gpointer self) {
  GstGLContext* context = gst_gl_base_filter_get_gl_context(GST_GL_BASE_FILTER(self));
  if (context == nullptr) return true;
  const bool possible = sightglass::samples_external_textures(context);
  gst_object_unref(context);
  return possible;
}

// Caps that are not offered are refused before the element sees their event, and without a word.
GstPadProbeReturn explain_refusal(GstPad* /*pad*/, GstPadProbeInfo* info, gpointer self) {
  GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_PAD_PROBE_OK;
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  const std::optional<sightglass::FrameFormat> format = sightglass::frame_format_of(caps);
  if (!format || format->kind != sightglass::FrameKind::kExternal || external_textures_are_possible(self)) {
    return GST_PAD_PROBE_OK;
  }
  post_error(self, sightglass::unsupported(
                       "external textures (texture-target=external-oes) cannot be sampled: the GL context has no "
                       "GL_OES_EGL_image_external_essl3, which those of OpenGL ES (GST_GL_API=gles2) mostly have; "
                       "2D textures work, and glcolorconvert in front makes them where it can"));
  return GST_PAD_PROBE_OK;
}

GstCaps* transform_caps(GstBaseTransform* transform, GstPadDirection direction, GstCaps* caps, GstCaps* filter) {
  const ModelRuntime& runtime = runtime_of_base(transform);
  GstCaps* result = sightglass::transform_frame_caps(
      direction, caps,
      {swaps_axes(runtime.orientation()), external_textures_are_possible(transform), runtime.own_size()});
  if (filter == nullptr) return result;
  GstCaps* both = gst_caps_intersect_full(filter, result, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(result);
  return both;
}

GstCaps* fixate_caps(GstBaseTransform* transform, GstPadDirection direction, GstCaps* caps, GstCaps* others) {
  GstCaps* fixed = GST_BASE_TRANSFORM_CLASS(gst_sightglass_model_filter_parent_class)
                       ->fixate_caps(transform, direction, caps, others);
  if (direction != GST_PAD_SINK) return fixed;
  fixed = gst_caps_make_writable(fixed);
  sightglass::set_output_colorimetry(caps, fixed);
  return fixed;
}

gboolean get_unit_size(GstBaseTransform* /*transform*/, GstCaps* caps, gsize* size) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) return FALSE;
  *size = info.size;
  return TRUE;
}

gboolean propose_allocation(GstBaseTransform* transform, GstQuery* decide_query, GstQuery* query) {
  if (!GST_BASE_TRANSFORM_CLASS(gst_sightglass_model_filter_parent_class)
           ->propose_allocation(transform, decide_query, query)) {
    return FALSE;
  }
  GstGLBaseFilter* filter = GST_GL_BASE_FILTER(transform);
  if (!gst_gl_base_filter_find_gl_context(filter)) return FALSE;
  GstGLContext* context = gst_gl_base_filter_get_gl_context(filter);
  gboolean need_pool = FALSE;
  gst_query_parse_allocation(query, nullptr, &need_pool);
  const bool answered = sightglass::propose_gl_allocation(context, query, need_pool != FALSE);
  gst_object_unref(context);
  return answered;
}

gboolean decide_allocation(GstBaseTransform* transform, GstQuery* query) {
  // Finds or makes the GL context, and through it calls gl_start() and gl_set_caps().
  if (!GST_BASE_TRANSFORM_CLASS(gst_sightglass_model_filter_parent_class)->decide_allocation(transform, query))
    return FALSE;
  GstGLContext* context = gst_gl_base_filter_get_gl_context(GST_GL_BASE_FILTER(transform));
  if (context == nullptr) return FALSE;
  const bool decided = sightglass::decide_gl_allocation(context, query);
  gst_object_unref(context);
  return decided;
}

gboolean query(GstBaseTransform* transform, GstPadDirection direction, GstQuery* query) {
  if (!GST_BASE_TRANSFORM_CLASS(gst_sightglass_model_filter_parent_class)->query(transform, direction, query))
    return FALSE;
  if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY && direction == GST_PAD_SRC) {
    gboolean live = FALSE;
    GstClockTime least = 0, most = GST_CLOCK_TIME_NONE;
    gst_query_parse_latency(query, &live, &least, &most);
    const GstClockTime own = runtime_of_base(transform).stats().latency_ns;
    gst_query_set_latency(query, live, least + own, GST_CLOCK_TIME_IS_VALID(most) ? most + own : most);
  }
  return TRUE;
}

void before_transform(GstBaseTransform* transform, GstBuffer* buffer) {
  if (transform->segment.format != GST_FORMAT_TIME) return;
  const GstClockTime time = gst_segment_to_stream_time(&transform->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  if (GST_CLOCK_TIME_IS_VALID(time)) gst_object_sync_values(GST_OBJECT(transform), time);
}

// What elements before this one have found stays with pictures that keep their places.
gboolean transform_meta(GstBaseTransform* transform, GstBuffer* output, GstMeta* meta, GstBuffer* input) {
  const GType api = meta->info->api;
  if (api != sightglass::results_meta_info()->api && api != GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE) {
    return GST_BASE_TRANSFORM_CLASS(gst_sightglass_model_filter_parent_class)
        ->transform_meta(transform, output, meta, input);
  }
  const std::optional<sightglass::OwnSize> own = runtime_of_base(transform).own_size();
  // Results are in fractions of the picture, regions in pixels.
  const bool resized = own && (own->seen_width > 0 || api == GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
  const bool moved = resized || runtime_of_base(transform).orientation() != sightglass::Orientation::kIdentity ||
                     gst_buffer_get_video_affine_transformation_meta(input) != nullptr ||
                     gst_buffer_get_video_crop_meta(input) != nullptr;
  return moved ? FALSE : TRUE;
}

GstFlowReturn submit_input_buffer(GstBaseTransform* transform, gboolean is_discont, GstBuffer* input) {
  const GstFlowReturn flow = GST_BASE_TRANSFORM_CLASS(gst_sightglass_model_filter_parent_class)
                                 ->submit_input_buffer(transform, is_discont, input);
  // Nothing but QoS takes a frame and keeps none.
  if (flow >= GST_FLOW_OK && transform->queued_buf == nullptr) runtime_of_base(transform).note_dropped();
  return flow;
}

GstFlowReturn transform(GstBaseTransform* transform, GstBuffer* input, GstBuffer* output) {
  ModelRuntime& runtime = runtime_of_base(transform);
  if (!runtime.is_ready()) {
    // Where data flows already, pads take caps and frames before and while start() runs. The next frame has them
    // negotiated again.
    GST_WARNING_OBJECT(transform, "a frame that came while the element started is dropped");
    gst_base_transform_reconfigure_src(transform);
    return GST_BASE_TRANSFORM_FLOW_DROPPED;
  }
  if (const Status status = runtime.before_frame(); !status.ok()) {
    GST_ELEMENT_WARNING(transform, RESOURCE, NOT_FOUND, ("%s", status.message().c_str()), (nullptr));
  }
  if (const Status status = runtime.process(input, output); !status.ok()) {
    post_error(transform, status);
    return GST_FLOW_ERROR;
  }
  if (const std::string failure = runtime.take_failure(); !failure.empty()) {
    GST_ELEMENT_WARNING(transform, RESOURCE, FAILED,
                        ("no result for this frame and, until it works again, for others: %s", failure.c_str()),
                        ("they are shown as on-failure says"));
  }
  if (runtime.take_latency_change()) {
    gst_element_post_message(GST_ELEMENT(transform), gst_message_new_latency(GST_OBJECT(transform)));
  }
  return GST_FLOW_OK;
}

}  // namespace

static void gst_sightglass_model_filter_init(GstSightglassModelFilter* self) {
  gst_pad_add_probe(GST_BASE_TRANSFORM_SINK_PAD(self), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, explain_refusal, self,
                    nullptr);
}

static void gst_sightglass_model_filter_class_init(GstSightglassModelFilterClass* klass) {
  GST_DEBUG_CATEGORY_INIT(gst_sightglass_model_filter_debug, "sightglassmodelfilter", 0, "models on the GPU");
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  object_class->finalize = finalize;
  sightglass::model_filter_pass_properties(object_class);
  sightglass::install_model_properties(object_class);
  gst_type_mark_as_plugin_api(gst_sightglass_model_filter_get_type(), static_cast<GstPluginAPIFlags>(0));

  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element_class, &sink_template);
  gst_element_class_add_static_pad_template(element_class, &src_template);

  GstBaseTransformClass* transform_class = GST_BASE_TRANSFORM_CLASS(klass);
  transform_class->start = start;
  transform_class->stop = stop;
  transform_class->sink_event = sink_event;
  transform_class->src_event = src_event;
  transform_class->transform_caps = transform_caps;
  transform_class->fixate_caps = fixate_caps;
  transform_class->get_unit_size = get_unit_size;
  transform_class->propose_allocation = propose_allocation;
  transform_class->decide_allocation = decide_allocation;
  transform_class->query = query;
  transform_class->before_transform = before_transform;
  transform_class->transform_meta = transform_meta;
  transform_class->submit_input_buffer = submit_input_buffer;
  transform_class->transform = ::transform;

  GstGLBaseFilterClass* filter_class = GST_GL_BASE_FILTER_CLASS(klass);
  filter_class->supported_gl_api = static_cast<GstGLAPI>(GST_GL_API_GLES2 | GST_GL_API_OPENGL3);
  filter_class->gl_start = gl_start;
  filter_class->gl_stop = gl_stop;
  filter_class->gl_set_caps = gl_set_caps;
}

namespace sightglass {

void model_filter_set_runtime(gpointer filter, std::unique_ptr<ModelRuntime> runtime) {
  static_cast<GstSightglassModelFilter*>(filter)->runtime = runtime.release();
}

void model_filter_pass_properties(GObjectClass* object_class) {
  object_class->set_property = set_property;
  object_class->get_property = get_property;
}

void post_error(gpointer element, const Status& status) {
  const char* text = status.message().c_str();
  switch (status.code()) {
    case sightglass::ErrorCode::kNotFound:
      GST_ELEMENT_ERROR(element, RESOURCE, NOT_FOUND, ("%s", text), (nullptr));
      return;
    case sightglass::ErrorCode::kInvalidModel:
      GST_ELEMENT_ERROR(element, RESOURCE, READ, ("%s", text), (nullptr));
      return;
    case sightglass::ErrorCode::kResourceExhausted:
      GST_ELEMENT_ERROR(element, RESOURCE, NO_SPACE_LEFT, ("%s", text), (nullptr));
      return;
    case sightglass::ErrorCode::kDeviceError:
    case sightglass::ErrorCode::kInternal:
      GST_ELEMENT_ERROR(element, RESOURCE, FAILED, ("%s", text), (nullptr));
      return;
    default:
      GST_ELEMENT_ERROR(element, LIBRARY, SETTINGS, ("%s", text), (nullptr));
  }
}

}  // namespace sightglass
