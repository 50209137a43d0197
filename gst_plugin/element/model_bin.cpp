#include "element/model_bin.h"

#include <gst/allocators/gstdmabuf.h>
#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <array>

#include "element/element_settings.h"
#include "gobject/guarded.h"
#include "gobject/log.h"

namespace {

struct Part {
  const char* factory;
  const char* name;
};
constexpr Part kDownload = {"gldownload", "download"};
// Replaces it if downstream accepts only DMABUFs.
constexpr Part kExport = {"gldmabufexport", "export"};

GstGLModelBin* self_of(gpointer object) { return static_cast<GstGLModelBin*>(object); }

}  // namespace

G_DEFINE_ABSTRACT_TYPE_WITH_CODE(GstGLModelBin, gst_gl_model_bin, GST_TYPE_BIN,
                                 G_IMPLEMENT_INTERFACE(GST_TYPE_VIDEO_DIRECTION, nullptr))

namespace {

GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
                            GST_STATIC_CAPS("video/x-raw(memory:GLMemory); video/x-raw(memory:DMABuf); video/x-raw"));

void set_property(GObject* object, guint /*id*/, const GValue* value, GParamSpec* spec) {
  if (self_of(object)->model != nullptr) g_object_set_property(G_OBJECT(self_of(object)->model), spec->name, value);
}

void get_property(GObject* object, guint /*id*/, GValue* value, GParamSpec* spec) {
  if (self_of(object)->model != nullptr) g_object_get_property(G_OBJECT(self_of(object)->model), spec->name, value);
}

GstDebugCategory* log_of(gpointer bin) {
  return G_TYPE_INSTANCE_GET_CLASS(bin, gst_gl_model_bin_get_type(), GstGLModelBinClass)->log;
}

bool takes_dmabufs_alone(GstCaps* caps) {
  if (gst_caps_is_any(caps) || gst_caps_is_empty(caps)) return false;
  for (guint i = 0; i < gst_caps_get_size(caps); ++i) {
    if (!gst_caps_features_contains(gst_caps_get_features(caps, i), GST_CAPS_FEATURE_MEMORY_DMABUF)) return false;
  }
  return true;
}

// Between READY and PAUSED, when downstream is linked and no data flows yet.
void choose_last_part(GstGLModelBin* self) {
  GstPad* source = gst_element_get_static_pad(GST_ELEMENT(self), "src");
  GstCaps* wanted = gst_pad_peer_query_caps(source, nullptr);
  const bool exports = takes_dmabufs_alone(wanted);
  GST_CAT_DEBUG_OBJECT(log_of(self), self, "downstream accepts %" GST_PTR_FORMAT ": using %s for output", wanted,
                       exports ? kExport.factory : kDownload.factory);
  gst_caps_unref(wanted);
  const Part& part = exports ? kExport : kDownload;
  GstElement* last = exports != self->exports ? gst_element_factory_make(part.factory, part.name) : nullptr;
  if (last != nullptr) {
    gst_ghost_pad_set_target(GST_GHOST_PAD(source), nullptr);
    gst_element_set_state(self->last, GST_STATE_NULL);
    gst_bin_remove(GST_BIN(self), self->last);
    gst_bin_add(GST_BIN(self), last);
    gst_element_link(self->before_last, last);
    GstPad* pad = gst_element_get_static_pad(last, "src");
    gst_ghost_pad_set_target(GST_GHOST_PAD(source), pad);
    gst_object_unref(pad);
    gst_element_sync_state_with_parent(last);
    self->last = last;
    self->exports = exports;
  }
  gst_object_unref(source);
}

GstStateChangeReturn change_state(GstElement* element, GstStateChange transition) {
  if (const char* missing = self_of(element)->missing; missing != nullptr) {
    GST_ELEMENT_ERROR(element, CORE, MISSING_PLUGIN,
                      ("element %s not found; install its plugin (Debian: gstreamer1.0-gl)", missing), (nullptr));
    return GST_STATE_CHANGE_FAILURE;
  }
  GST_CAT_DEBUG_OBJECT(log_of(element), element, "%s", gst_state_change_get_name(transition));
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) choose_last_part(self_of(element));
  return GST_ELEMENT_CLASS(gst_gl_model_bin_parent_class)->change_state(element, transition);
}

// Syncs controlled properties of the bin to the frames that reach the model.
GstPadProbeReturn sync_values(GstPad* pad, GstPadProbeInfo* info, gpointer bin) {
  const GstClockTime pts = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
  GstEvent* event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  if (event == nullptr) return GST_PAD_PROBE_OK;
  const GstSegment* segment = nullptr;
  gst_event_parse_segment(event, &segment);
  const bool timed = segment->format == GST_FORMAT_TIME;
  const GstClockTime time = timed ? gst_segment_to_stream_time(segment, GST_FORMAT_TIME, pts) : GST_CLOCK_TIME_NONE;
  if (GST_CLOCK_TIME_IS_VALID(time)) gst_object_sync_values(GST_OBJECT(bin), time);
  gst_event_unref(event);
  return GST_PAD_PROBE_OK;
}

void add_ghost(GstBin* bin, GstElement* part, const char* name) {
  GstPad* pad = gst_element_get_static_pad(part, name);
  GstPadTemplate* pad_template = gst_element_get_pad_template(GST_ELEMENT(bin), name);
  gst_element_add_pad(GST_ELEMENT(bin), gst_ghost_pad_new_from_template(name, pad, pad_template));
  gst_object_unref(pad);
}

}  // namespace

static void gst_gl_model_bin_init(GstGLModelBin* /*self*/) {}

static void gst_gl_model_bin_class_init(GstGLModelBinClass* klass) {
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  sightglass::model_bin_pass_properties(object_class);
  sightglass::install_common_properties(object_class);
  sightglass::install_model_properties(object_class);
  gst_type_mark_as_plugin_api(gst_gl_model_bin_get_type(), static_cast<GstPluginAPIFlags>(0));

  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  element_class->change_state = sightglass::guarded<change_state>;
  klass->log = sightglass::base_log();
  GstCaps* uploadable = gst_gl_upload_get_input_template_caps();
  gst_element_class_add_pad_template(element_class,
                                     gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, uploadable));
  gst_caps_unref(uploadable);
  gst_element_class_add_static_pad_template(element_class, &src_template);
}

namespace sightglass {

void model_bin_pass_properties(GObjectClass* object_class) {
  object_class->set_property = sightglass::guarded<set_property>;
  object_class->get_property = sightglass::guarded<get_property>;
}

void model_bin_build(gpointer bin, const char* factory, const char* name) {
  GstGLModelBin* self = self_of(bin);
  // From upstream to downstream. Unneeded parts pass frames through untouched: textures at either end stay textures.
  const std::array<Part, 5> parts = {{{"glupload", "upload"},
                                      {"glcolorconvert", "convert-in"},
                                      {factory, name},
                                      {"glcolorconvert", "convert-out"},
                                      kDownload}};
  std::array<GstElement*, parts.size()> made{};
  for (size_t i = 0; i < parts.size(); ++i) {
    made[i] = gst_element_factory_make(parts[i].factory, parts[i].name);
    if (made[i] != nullptr) {
      gst_bin_add(GST_BIN(self), made[i]);
    } else if (self->missing == nullptr) {
      self->missing = parts[i].factory;
    }
  }
  if (self->missing != nullptr) return;
  self->before_model = made[1];
  self->model = made[2];
  self->before_last = made[3];
  self->last = made[4];
  for (size_t i = 0; i + 1 < made.size(); ++i) gst_element_link(made[i], made[i + 1]);
  add_ghost(GST_BIN(self), made.front(), "sink");
  add_ghost(GST_BIN(self), made.back(), "src");
  GstPad* pad = gst_element_get_static_pad(self->model, "sink");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, sightglass::guarded<sync_values>, self, nullptr);
  gst_object_unref(pad);
}

}  // namespace sightglass
