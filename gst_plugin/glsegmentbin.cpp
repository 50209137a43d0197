#include "glsegmentbin.h"

#include <gst/allocators/gstdmabuf.h>
#include <gst/gl/gl.h>

#include <array>
#include <string_view>

#include "segment_properties.h"

namespace {

// In the order of the flow. What is not needed passes frames on untouched: textures at either end stay textures.
struct Part {
  const char* factory;
  const char* name;
};
constexpr std::array<Part, 5> kParts = {{{"glupload", "upload"},
                                         {"glcolorconvert", "convert-in"},
                                         {"glsegment", "segment"},
                                         {"glcolorconvert", "convert-out"},
                                         {"gldownload", "download"}}};

// In place of the last part where DMABUFs are all that downstream takes.
constexpr Part kExport = {"gldmabufexport", "export"};

struct GstGlSegmentBin {
  GstBin parent;
  GstElement *segment, *before_last, *last;  // owned by the bin
  const char* missing;                       // the first part that is not installed
  bool exports;                              // `last` is kExport
};
struct GstGlSegmentBinClass {
  GstBinClass parent_class;
};

GstGlSegmentBin* self_of(gpointer object) { return static_cast<GstGlSegmentBin*>(object); }

}  // namespace

G_DEFINE_TYPE(GstGlSegmentBin, gst_gl_segment_bin, GST_TYPE_BIN)
GST_ELEMENT_REGISTER_DEFINE(glsegmentbin, "glsegmentbin", GST_RANK_NONE, gst_gl_segment_bin_get_type())

namespace {

GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
                            GST_STATIC_CAPS("video/x-raw(memory:GLMemory); video/x-raw(memory:DMABuf); video/x-raw"));

void set_property(GObject* object, guint /*id*/, const GValue* value, GParamSpec* spec) {
  if (self_of(object)->segment != nullptr) g_object_set_property(G_OBJECT(self_of(object)->segment), spec->name, value);
}

void get_property(GObject* object, guint /*id*/, GValue* value, GParamSpec* spec) {
  if (self_of(object)->segment != nullptr) g_object_get_property(G_OBJECT(self_of(object)->segment), spec->name, value);
}

bool takes_dmabufs_alone(GstCaps* caps) {
  if (gst_caps_is_any(caps) || gst_caps_is_empty(caps)) return false;
  for (guint i = 0; i < gst_caps_get_size(caps); ++i) {
    if (!gst_caps_features_contains(gst_caps_get_features(caps, i), GST_CAPS_FEATURE_MEMORY_DMABUF)) return false;
  }
  return true;
}

// Between READY and PAUSED, when what follows is there and nothing flows yet.
void choose_last_part(GstGlSegmentBin* self) {
  GstPad* source = gst_element_get_static_pad(GST_ELEMENT(self), "src");
  GstCaps* wanted = gst_pad_peer_query_caps(source, nullptr);
  const bool exports = takes_dmabufs_alone(wanted);
  gst_caps_unref(wanted);
  const Part& part = exports ? kExport : kParts.back();
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
                      ("the element %s is not installed; Debian has it in gstreamer1.0-gl", missing), (nullptr));
    return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) choose_last_part(self_of(element));
  return GST_ELEMENT_CLASS(gst_gl_segment_bin_parent_class)->change_state(element, transition);
}

// What is controlled on the bin follows the frames that come to glsegment.
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

static void gst_gl_segment_bin_init(GstGlSegmentBin* self) {
  std::array<GstElement*, kParts.size()> parts{};
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i] = gst_element_factory_make(kParts[i].factory, kParts[i].name);
    if (parts[i] == nullptr) {
      if (self->missing == nullptr) self->missing = kParts[i].factory;
      continue;
    }
    gst_bin_add(GST_BIN(self), parts[i]);
    if (kParts[i].factory == std::string_view("glsegment")) self->segment = parts[i];
  }
  if (self->missing != nullptr) return;
  self->before_last = parts[parts.size() - 2];
  self->last = parts.back();
  for (size_t i = 0; i + 1 < parts.size(); ++i) gst_element_link(parts[i], parts[i + 1]);
  add_ghost(GST_BIN(self), parts.front(), "sink");
  add_ghost(GST_BIN(self), parts.back(), "src");
  GstPad* pad = gst_element_get_static_pad(self->segment, "sink");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, sync_values, self, nullptr);
  gst_object_unref(pad);
}

static void gst_gl_segment_bin_class_init(GstGlSegmentBinClass* klass) {
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  sightglass::install_segment_properties(object_class);

  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  element_class->change_state = change_state;
  GstCaps* uploadable = gst_gl_upload_get_input_template_caps();
  gst_element_class_add_pad_template(element_class,
                                     gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, uploadable));
  gst_caps_unref(uploadable);
  gst_element_class_add_static_pad_template(element_class, &src_template);
  gst_element_class_set_static_metadata(element_class, "OpenGL person segmentation with upload and download",
                                        "Filter/Effect/Video",
                                        "glsegment with what brings frames onto the GPU, as DMABUF without a copy, "
                                        "and off it where downstream wants that",
                                        "Sightglass");
}
