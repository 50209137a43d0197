// GL contexts, caps, allocation, events, and queries of elements with models.
#include <gst/gst.h>
#include <gst/video/gstvideoaffinetransformationmeta.h>
#include <gst/video/video.h>

#include <optional>
#include <string>

#include "element/model_filter.h"
#include "gl/frame_caps.h"
#include "gl/gl_bridge.h"
#include "gl/orientation.h"
#include "gobject/guarded.h"
#include "gobject/log.h"
#include "gobject/properties.h"
#include "meta/meta_types.h"

#define GST_CAT_DEFAULT sightglass::element_log()

namespace {

using sightglass::element_of;
using sightglass::FrameQueue;
using sightglass::model_filter_drain;
using sightglass::ModelElement;
using sightglass::post_error;
using sightglass::post_warning;
using sightglass::Status;

GstBaseTransformClass* parent = nullptr;  // of the base class

GstGLModelFilter& self_of(gpointer filter) { return *static_cast<GstGLModelFilter*>(filter); }

gboolean gl_start(GstGLBaseFilter* filter) {
  GST_DEBUG_OBJECT(filter, "starting on %" GST_PTR_FORMAT, filter->context);
  const Status status = element_of(filter).gl.attach(filter->context);
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
  element_of(filter).gl.detach();
}

gboolean gl_set_caps(GstGLBaseFilter* filter, GstCaps* input, GstCaps* output) {
  const std::optional<sightglass::FrameFormat> format = sightglass::frame_format_of(input);
  GstVideoInfo info;
  if (!format || !gst_video_info_from_caps(&info, output)) return FALSE;
  const Status status = element_of(filter).gl.set_caps(*format, info);
  if (!status.ok()) post_error(filter, status);
  // Whatever is upstream by now gets it before the next frame.
  if (element_of(filter).wants_objects()) {
    gst_pad_push_event(GST_BASE_TRANSFORM_SINK_PAD(filter), sightglass::objects_request());
  }
  return status.ok();
}

gboolean sink_event(GstBaseTransform* transform, GstEvent* event) {
  ModelElement& element = element_of(transform);
  const GstEventType type = GST_EVENT_TYPE(event);
  GST_DEBUG_OBJECT(transform, "sink pad: %" GST_PTR_FORMAT, event);
  const bool begins_anew = type == GST_EVENT_STREAM_START || type == GST_EVENT_SEGMENT;
  const bool drains = begins_anew || type == GST_EVENT_EOS || type == GST_EVENT_SEGMENT_DONE || type == GST_EVENT_GAP;
  if (drains) model_filter_drain(transform);
  if (type == GST_EVENT_FLUSH_STOP) {
    element.gl.drop_results();
    self_of(transform).frames->clear();
  }
  if (begins_anew || type == GST_EVENT_FLUSH_STOP) element.gl.forget();
  if (type == GST_EVENT_STREAM_START) {
    element.settings.forget_tags();
    gst_base_transform_reconfigure_src(transform);
  } else if (type == GST_EVENT_TAG) {
    GstTagList* tags = nullptr;
    gst_event_parse_tag(event, &tags);
    const bool upright = element.settings.read_tags(tags);
    gst_base_transform_reconfigure_src(transform);
    if (upright) {
      GstEvent* changed = sightglass::upright_tag_event(event);
      gst_event_unref(event);
      event = changed;
    }
  }
  // For caps, set_caps() pushes the held frames first.
  const bool keeps_place = GST_EVENT_IS_SERIALIZED(event) && type != GST_EVENT_CAPS && type != GST_EVENT_FLUSH_STOP;
  if (keeps_place && self_of(transform).frames->hold(event)) return TRUE;
  return parent->sink_event(transform, event);
}

gboolean src_event(GstBaseTransform* transform, GstEvent* event) {
  // QoS events arrive with every frame.
  const GstDebugLevel level = GST_EVENT_TYPE(event) == GST_EVENT_QOS ? GST_LEVEL_LOG : GST_LEVEL_DEBUG;
  GST_CAT_LEVEL_LOG(GST_CAT_DEFAULT, level, transform, "src pad: %" GST_PTR_FORMAT, event);
  if (GST_EVENT_TYPE(event) == GST_EVENT_NAVIGATION) {
    GstCaps* caps = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SRC_PAD(transform));
    GstVideoInfo info;
    if (caps != nullptr && gst_video_info_from_caps(&info, caps)) {
      event = sightglass::stored_navigation_event(event, element_of(transform).settings.orientation(),
                                                  GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info));
    }
    gst_clear_caps(&caps);
  }
  if (sightglass::is_objects_request(event)) element_of(transform).objects_wanted = true;
  return parent->src_event(transform, event);
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
  if (refusal.empty() || !g_atomic_int_compare_and_exchange(&self_of(transform).warned_of_formats, 0, 1)) return;
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
  const ModelElement& element = element_of(transform);
  GstCaps* result = sightglass::transform_frame_caps(
      direction, caps,
      {swaps_axes(element.settings.orientation()), external_textures_are_possible(transform), element.own_size()});
  GST_DEBUG_OBJECT(transform, "%s caps %" GST_PTR_FORMAT " transform to %" GST_PTR_FORMAT,
                   direction == GST_PAD_SINK ? "sink" : "src", caps, result);
  return sightglass::filtered(result, filter);
}

GstCaps* fixate_caps(GstBaseTransform* transform, GstPadDirection direction, GstCaps* caps, GstCaps* others) {
  GstCaps* fixed = parent->fixate_caps(transform, direction, caps, others);
  if (direction != GST_PAD_SINK) return fixed;
  fixed = gst_caps_make_writable(fixed);
  sightglass::set_output_colorimetry(caps, fixed);
  GST_DEBUG_OBJECT(transform, "fixated src caps to %" GST_PTR_FORMAT, fixed);
  return fixed;
}

// Called only if the caps of either pad change, before downstream receives the new ones.
gboolean set_caps(GstBaseTransform* transform, GstCaps* input, GstCaps* output) {
  GST_INFO_OBJECT(transform, "caps: %" GST_PTR_FORMAT " to %" GST_PTR_FORMAT, input, output);
  model_filter_drain(transform);
  FrameQueue& queue = *self_of(transform).frames;
  GstVideoInfo info;
  const bool timed = gst_video_info_from_caps(&info, output) && GST_VIDEO_INFO_FPS_N(&info) > 0;
  queue.set_frame_duration(timed ? gst_util_uint64_scale(GST_SECOND, static_cast<guint64>(GST_VIDEO_INFO_FPS_D(&info)),
                                                         static_cast<guint64>(GST_VIDEO_INFO_FPS_N(&info)))
                                 : 0);
  queue.set_policy(element_of(transform).settings.snapshot()->results_policy());
  element_of(transform).stats.note_held_time(queue.held_time());
  return parent->set_caps(transform, input, output);
}

gboolean get_unit_size(GstBaseTransform* /*transform*/, GstCaps* caps, gsize* size) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) return FALSE;
  *size = info.size;
  return TRUE;
}

gboolean propose_allocation(GstBaseTransform* transform, GstQuery* decide_query, GstQuery* query) {
  if (!parent->propose_allocation(transform, decide_query, query)) {
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
  if (!parent->decide_allocation(transform, query)) return FALSE;
  GstGLContext* context = gst_gl_base_filter_get_gl_context(GST_GL_BASE_FILTER(transform));
  if (context == nullptr) return FALSE;
  const bool decided = sightglass::decide_gl_allocation(context, query);
  gst_object_unref(context);
  GST_DEBUG_OBJECT(transform, "decided with downstream: %" GST_PTR_FORMAT, query);
  return decided;
}

gboolean query(GstBaseTransform* transform, GstPadDirection direction, GstQuery* query) {
  if (GST_QUERY_TYPE(query) == GST_QUERY_DRAIN && direction == GST_PAD_SINK) {
    model_filter_drain(transform);
    element_of(transform).gl.release_inputs();  // upstream needs its buffers back
  }
  if (!parent->query(transform, direction, query)) return FALSE;
  if (GST_QUERY_TYPE(query) == GST_QUERY_CAPS && direction == GST_PAD_SINK) explain_answer(transform, query);
  if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY && direction == GST_PAD_SRC) {
    gboolean live = FALSE;
    GstClockTime least = 0, most = GST_CLOCK_TIME_NONE;
    gst_query_parse_latency(query, &live, &least, &most);
    const GstClockTime own = element_of(transform).stats.snapshot().latency_ns;
    gst_query_set_latency(query, live, least + own, GST_CLOCK_TIME_IS_VALID(most) ? most + own : most);
    GST_DEBUG_OBJECT(transform, "latency: %" GST_TIME_FORMAT " upstream and %" GST_TIME_FORMAT " here",
                     GST_TIME_ARGS(least), GST_TIME_ARGS(own));
  }
  GST_LOG_OBJECT(transform, "%s pad: %" GST_PTR_FORMAT, direction == GST_PAD_SINK ? "sink" : "src", query);
  return TRUE;
}

// Results of upstream elements stay on frames whose content keeps its position.
gboolean transform_meta(GstBaseTransform* transform, GstBuffer* output, GstMeta* meta, GstBuffer* input) {
  const GType api = meta->info->api;
  const bool in_fractions = api == sightglass::results_meta_info()->api || api == sightglass::objects_meta_info()->api;
  if (!in_fractions && api != GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE) {
    return parent->transform_meta(transform, output, meta, input);
  }
  const std::optional<sightglass::OwnSize> own = element_of(transform).own_size();
  // Results are in fractions of the frame, regions in pixels.
  const bool resized = own && (own->seen_width > 0 || !in_fractions);
  const bool moved = resized || element_of(transform).crops() ||
                     element_of(transform).settings.orientation() != sightglass::Orientation::kIdentity ||
                     gst_buffer_get_video_affine_transformation_meta(input) != nullptr ||
                     gst_buffer_get_video_crop_meta(input) != nullptr;
  return moved ? FALSE : TRUE;
}

}  // namespace

namespace sightglass {

void model_filter_negotiate(GstGLBaseFilterClass* filter_class, GstBaseTransformClass* parent_class) {
  parent = parent_class;
  filter_class->supported_gl_api = static_cast<GstGLAPI>(GST_GL_API_GLES2 | GST_GL_API_OPENGL3 | GST_GL_API_OPENGL);
  filter_class->gl_start = guarded<gl_start>;
  filter_class->gl_stop = guarded<gl_stop>;
  filter_class->gl_set_caps = guarded<gl_set_caps>;
  GstBaseTransformClass* transform_class = GST_BASE_TRANSFORM_CLASS(filter_class);
  transform_class->sink_event = guarded<sink_event>;
  transform_class->src_event = guarded<src_event>;
  transform_class->transform_caps = guarded<transform_caps>;
  transform_class->fixate_caps = guarded<fixate_caps>;
  transform_class->set_caps = guarded<set_caps>;
  transform_class->get_unit_size = guarded<get_unit_size>;
  transform_class->propose_allocation = guarded<propose_allocation>;
  transform_class->decide_allocation = guarded<decide_allocation>;
  transform_class->query = guarded<query>;
  transform_class->transform_meta = guarded<transform_meta>;
}

void model_filter_explain_refusals(GstGLModelFilter* filter) {
  gst_pad_add_probe(GST_BASE_TRANSFORM_SINK_PAD(filter), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, guarded<explain_refusal>,
                    filter, nullptr);
}

}  // namespace sightglass
