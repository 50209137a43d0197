#include "glsegment.h"

#include <gst/video/video.h>

#include <mutex>
#include <optional>
#include <string>

#include "gl_bridge.h"
#include "mask_meta_type.h"
#include "orientation.h"
#include "segment_caps.h"
#include "segment_properties.h"
#include "segment_runtime.h"

GST_DEBUG_CATEGORY_STATIC(gst_gl_segment_debug);
#define GST_CAT_DEFAULT gst_gl_segment_debug

namespace {

using sightglass::SegmentSettings;
using sightglass::Status;

struct State {
  std::mutex mutex;  // guards settings and tags
  SegmentSettings settings;
  sightglass::OrientationTags tags;
  sightglass::SegmentRuntime runtime;

  SegmentSettings snapshot() {
    const std::lock_guard lock(mutex);
    return settings;
  }
  sightglass::Orientation orientation() {
    const std::lock_guard lock(mutex);
    if (settings.video_direction == GST_VIDEO_ORIENTATION_AUTO) return tags.orientation();
    return sightglass::to_orientation(settings.video_direction).value_or(sightglass::Orientation::kIdentity);
  }
};

struct GstGlSegment {
  GstGLBaseFilter parent;
  State* state;
};
struct GstGlSegmentClass {
  GstGLBaseFilterClass parent_class;
};

State& state_of(gpointer object) { return *static_cast<GstGlSegment*>(object)->state; }

}  // namespace

G_DEFINE_TYPE_WITH_CODE(GstGlSegment, gst_gl_segment, GST_TYPE_GL_BASE_FILTER,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_VIDEO_DIRECTION, nullptr))
GST_ELEMENT_REGISTER_DEFINE(glsegment, "glsegment", GST_RANK_NONE, gst_gl_segment_get_type())

namespace {

GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(SIGHTGLASS_SINK_CAPS));
GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(SIGHTGLASS_SRC_CAPS));

// Posts the failure as an element error.
void post_error(gpointer self, const Status& status) {
  const char* text = status.message().c_str();
  switch (status.code()) {
    case sightglass::ErrorCode::kNotFound:
      GST_ELEMENT_ERROR(self, RESOURCE, NOT_FOUND, ("%s", text), (nullptr));
      return;
    case sightglass::ErrorCode::kInvalidModel:
      GST_ELEMENT_ERROR(self, RESOURCE, READ, ("%s", text), (nullptr));
      return;
    case sightglass::ErrorCode::kResourceExhausted:
      GST_ELEMENT_ERROR(self, RESOURCE, NO_SPACE_LEFT, ("%s", text), (nullptr));
      return;
    case sightglass::ErrorCode::kDeviceError:
    case sightglass::ErrorCode::kInternal:
      GST_ELEMENT_ERROR(self, RESOURCE, FAILED, ("%s", text), (nullptr));
      return;
    default:
      GST_ELEMENT_ERROR(self, LIBRARY, SETTINGS, ("%s", text), (nullptr));
  }
}

void finalize(GObject* object) {
  delete &state_of(object);
  G_OBJECT_CLASS(gst_gl_segment_parent_class)->finalize(object);
}

void set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  State& state = state_of(object);
  {
    const std::lock_guard lock(state.mutex);
    if (!set_segment_property(state.settings, id, value)) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
  // Width and height may change places.
  if (id == sightglass::kVideoDirection) gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(object));
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  State& state = state_of(object);
  if (id == sightglass::kStats) {
    const sightglass::SegmentStats stats = state.runtime.stats();
    const auto ns = [](double value) { return static_cast<guint64>(value); };
    g_value_take_boxed(
        value, gst_structure_new("glsegment-stats", "frames", G_TYPE_UINT64, stats.frames, "inferences", G_TYPE_UINT64,
                                 stats.inferences, "model-time", G_TYPE_UINT64, ns(stats.model_ns), "gpu-time",
                                 G_TYPE_UINT64, ns(stats.gpu_ns), "cpu-time", G_TYPE_UINT64, ns(stats.cpu_ns),
                                 "start-time", G_TYPE_UINT64, stats.start_ns, nullptr));
    return;
  }
  const std::lock_guard lock(state.mutex);
  if (!get_segment_property(state.settings, id, value)) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

gboolean start(GstBaseTransform* transform) {
  State& state = state_of(transform);
  if (const Status status = state.runtime.start(state.snapshot()); !status.ok()) {
    post_error(transform, status);
    return FALSE;
  }
  if (const std::string warning = state.runtime.fallback_warning(); !warning.empty()) {
    GST_ELEMENT_WARNING(transform, LIBRARY, SETTINGS, ("%s", warning.c_str()), (nullptr));
  }
  return GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->start(transform);
}

gboolean stop(GstBaseTransform* transform) {
  // The parent stops the GL part first.
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->stop(transform);
  state_of(transform).runtime.stop();
  return stopped;
}

gboolean gl_start(GstGLBaseFilter* filter) {
  const Status status = state_of(filter).runtime.attach(filter->context);
  if (!status.ok()) {
    post_error(filter, status);
    return FALSE;
  }
  // The output pool, if there is one, belongs to the context before this one.
  gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(filter));
  return TRUE;
}

void gl_stop(GstGLBaseFilter* filter) { state_of(filter).runtime.detach(); }

gboolean gl_set_caps(GstGLBaseFilter* filter, GstCaps* input, GstCaps* output) {
  const std::optional<sightglass::FrameFormat> format = sightglass::frame_format_of(input);
  GstVideoInfo info;
  if (!format || !gst_video_info_from_caps(&info, output)) return FALSE;
  const Status status = state_of(filter).runtime.set_caps(filter->context, *format, info);
  if (!status.ok()) post_error(filter, status);
  return status.ok();
}

gboolean sink_event(GstBaseTransform* transform, GstEvent* event) {
  State& state = state_of(transform);
  const GstEventType type = GST_EVENT_TYPE(event);
  if (type == GST_EVENT_STREAM_START || type == GST_EVENT_SEGMENT || type == GST_EVENT_FLUSH_STOP) {
    state.runtime.forget_mask();
  }
  if (type == GST_EVENT_STREAM_START || type == GST_EVENT_TAG) {
    bool upright = false;
    {
      const std::lock_guard lock(state.mutex);
      GstTagList* tags = nullptr;
      if (type == GST_EVENT_STREAM_START) {
        state.tags.forget();
      } else {
        gst_event_parse_tag(event, &tags);
        upright = state.tags.read(tags) && state.settings.video_direction == GST_VIDEO_ORIENTATION_AUTO;
      }
    }
    gst_base_transform_reconfigure_src(transform);
    if (upright) {
      GstEvent* changed = sightglass::upright_tag_event(event);
      gst_event_unref(event);
      event = changed;
    }
  }
  return GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->sink_event(transform, event);
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
  GstCaps* result = sightglass::transform_segment_caps(
      direction, caps, {swaps_axes(state_of(transform).orientation()), external_textures_are_possible(transform)});
  if (filter == nullptr) return result;
  GstCaps* both = gst_caps_intersect_full(filter, result, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(result);
  return both;
}

GstCaps* fixate_caps(GstBaseTransform* transform, GstPadDirection direction, GstCaps* caps, GstCaps* others) {
  GstCaps* fixed =
      GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->fixate_caps(transform, direction, caps, others);
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
  if (!GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->propose_allocation(transform, decide_query, query)) {
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
  if (!GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->decide_allocation(transform, query)) return FALSE;
  GstGLContext* context = gst_gl_base_filter_get_gl_context(GST_GL_BASE_FILTER(transform));
  if (context == nullptr) return FALSE;
  const bool decided = sightglass::decide_gl_allocation(context, query);
  gst_object_unref(context);
  return decided;
}

gboolean query(GstBaseTransform* transform, GstPadDirection direction, GstQuery* query) {
  if (!GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->query(transform, direction, query)) return FALSE;
  if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY && direction == GST_PAD_SRC) {
    gboolean live = FALSE;
    GstClockTime least = 0, most = GST_CLOCK_TIME_NONE;
    gst_query_parse_latency(query, &live, &least, &most);
    const GstClockTime own = state_of(transform).runtime.latency_ns();
    gst_query_set_latency(query, live, least + own, GST_CLOCK_TIME_IS_VALID(most) ? most + own : most);
  }
  return TRUE;
}

void before_transform(GstBaseTransform* transform, GstBuffer* buffer) {
  if (transform->segment.format != GST_FORMAT_TIME) return;
  const GstClockTime time = gst_segment_to_stream_time(&transform->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  if (GST_CLOCK_TIME_IS_VALID(time)) gst_object_sync_values(GST_OBJECT(transform), time);
}

GstFlowReturn transform(GstBaseTransform* transform, GstBuffer* input, GstBuffer* output) {
  State& state = state_of(transform);
  const SegmentSettings settings = state.snapshot();
  if (const Status status = state.runtime.update_picture(settings); !status.ok()) {
    GST_ELEMENT_WARNING(transform, RESOURCE, NOT_FOUND, ("%s", status.message().c_str()), (nullptr));
  }
  if (const Status status = state.runtime.process(input, output, settings, state.orientation()); !status.ok()) {
    post_error(transform, status);
    return GST_FLOW_ERROR;
  }
  if (state.runtime.take_latency_change()) {
    gst_element_post_message(GST_ELEMENT(transform), gst_message_new_latency(GST_OBJECT(transform)));
  }
  return GST_FLOW_OK;
}

}  // namespace

static void gst_gl_segment_init(GstGlSegment* self) {
  self->state = new State;
  gst_pad_add_probe(GST_BASE_TRANSFORM_SINK_PAD(self), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, explain_refusal, self,
                    nullptr);
}

static void gst_gl_segment_class_init(GstGlSegmentClass* klass) {
  GST_DEBUG_CATEGORY_INIT(gst_gl_segment_debug, "glsegment", 0, "segmentation on the GPU");
  sightglass::mask_meta_info();
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  object_class->finalize = finalize;
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  sightglass::install_segment_properties(object_class);

  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element_class, &sink_template);
  gst_element_class_add_static_pad_template(element_class, &src_template);
  gst_element_class_set_static_metadata(element_class, "OpenGL person segmentation", "Filter/Effect/Video",
                                        "Blurs, replaces or removes the background by a TFLite model that runs in "
                                        "the pipeline's own GL context",
                                        "Sightglass");

  GstBaseTransformClass* transform_class = GST_BASE_TRANSFORM_CLASS(klass);
  transform_class->start = start;
  transform_class->stop = stop;
  transform_class->sink_event = sink_event;
  transform_class->transform_caps = transform_caps;
  transform_class->fixate_caps = fixate_caps;
  transform_class->get_unit_size = get_unit_size;
  transform_class->propose_allocation = propose_allocation;
  transform_class->decide_allocation = decide_allocation;
  transform_class->query = query;
  transform_class->before_transform = before_transform;
  transform_class->transform = ::transform;

  GstGLBaseFilterClass* filter_class = GST_GL_BASE_FILTER_CLASS(klass);
  filter_class->supported_gl_api = static_cast<GstGLAPI>(GST_GL_API_GLES2 | GST_GL_API_OPENGL3);
  filter_class->gl_start = gl_start;
  filter_class->gl_stop = gl_stop;
  filter_class->gl_set_caps = gl_set_caps;
}
