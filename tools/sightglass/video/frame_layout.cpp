#include "video/frame_layout.h"

#include <gst/video/video.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "video/gst_setup.h"
#include "video/input.h"

namespace sightglass::video {

namespace {

constexpr const char* kCropElement = "crop";

// The size of raw frames with these caps; 0x0 for others.
struct FrameSize {
  int width = 0, height = 0;
};
FrameSize frame_size_of(const GstCaps* caps) {
  FrameSize size;
  const GstStructure* structure = gst_caps_get_structure(caps, 0);
  gst_structure_get_int(structure, "width", &size.width);
  gst_structure_get_int(structure, "height", &size.height);
  return size;
}

std::string size_text(const FrameSize& size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

GstPadProbeReturn on_size(GstPad* pad, GstPadProbeInfo* info, gpointer) {
  GstEvent* const event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_PAD_PROBE_OK;
  const ElementPtr crop(gst_pad_get_parent_element(pad));
  if (crop == nullptr) return GST_PAD_PROBE_OK;
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  const FrameSize size = frame_size_of(caps);
  const int right = size.width % 2, bottom = size.height % 2;
  g_object_set(crop.get(), "right", right, "bottom", bottom, nullptr);
  if (size.width - right < 1 || size.height - bottom < 1) {
    GST_ELEMENT_ERROR(
        crop.get(), STREAM, FORMAT,
        ("frames of %s are too small for this encoder; write a .y4m or .png file", size_text(size).c_str()), (nullptr));
    return GST_PAD_PROBE_OK;  // fails there, too, and what is upstream ends its negotiation
  }
  // The event can come again.
  constexpr const char* kWarned = "sightglass-warned-of-size";
  const gpointer wide = GINT_TO_POINTER(size.width);
  if (right + bottom > 0 && g_object_get_data(G_OBJECT(crop.get()), kWarned) != wide) {
    g_object_set_data(G_OBJECT(crop.get()), kWarned, wide);
    GST_ELEMENT_WARNING(crop.get(), STREAM, FORMAT,
                        ("frames of %s become %s, because the encoder needs even sizes", size_text(size).c_str(),
                         size_text({size.width - right, size.height - bottom}).c_str()),
                        (nullptr));
  }
  return GST_PAD_PROBE_OK;
}

}  // namespace

bool needs_even_size(const std::string& encoder) {
  constexpr std::array<std::string_view, 9> kAnySize = {
      "av1enc", "avenc_ffv1", "avenc_mjpeg", "avenc_prores_ks", "jpegenc", "pngenc", "theoraenc", "vp8enc", "vp9enc"};
  return std::none_of(kAnySize.begin(), kAnySize.end(),
                      [&](std::string_view name) { return encoder.find(name) != std::string::npos; });
}

std::string even_size_text(int width, int height) {
  return std::string("videocrop name=") + kCropElement + " right=" + std::to_string(width % 2) +
         " bottom=" + std::to_string(height % 2);
}

void keep_sizes_even(GstElement* pipeline) {
  const ElementPtr crop(gst_bin_get_by_name(GST_BIN(pipeline), kCropElement));
  if (crop == nullptr) return;
  const PadPtr pad(gst_element_get_static_pad(crop.get(), "sink"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_size, nullptr, nullptr);
}

namespace {

// The least that a field of these caps can be.
int least_of(const GstCaps* caps, const char* field) {
  int least = G_MAXINT;
  for (guint i = 0; i < gst_caps_get_size(caps); ++i) {
    const GValue* const value = gst_structure_get_value(gst_caps_get_structure(caps, i), field);
    least =
        std::min(least, value != nullptr && GST_VALUE_HOLDS_INT_RANGE(value) ? gst_value_get_int_range_min(value) : 1);
  }
  return caps == nullptr || gst_caps_is_empty(caps) ? 1 : least;
}

// The first pad of the muxer that takes video, and nothing if it has none.
PadPtr video_pad_of(GstElement* muxer) {
  PadPtr found;
  const auto take_video = [](GstElement*, GstPad* pad, gpointer data) -> gboolean {
    if (!g_str_has_prefix(GST_PAD_NAME(pad), "video")) return TRUE;
    static_cast<PadPtr*>(data)->reset(GST_PAD(gst_object_ref(pad)));
    return FALSE;
  };
  gst_element_foreach_sink_pad(muxer, take_video, &found);
  return found;
}

// The pad that raw frames enter before they come to `pad`.
PadPtr encoder_pad_before(GstPad* pad) {
  PadPtr source(gst_pad_get_peer(pad));
  while (source != nullptr) {
    const ElementPtr element(gst_pad_get_parent_element(source.get()));
    PadPtr sink(element != nullptr ? gst_element_get_static_pad(element.get(), "sink") : nullptr);
    if (sink == nullptr) return {};
    const CapsPtr raw(gst_caps_new_empty_simple("video/x-raw"));
    const CapsPtr taken(gst_pad_get_pad_template_caps(sink.get()));
    if (gst_caps_can_intersect(raw.get(), taken.get()) == TRUE) return sink;
    source.reset(gst_pad_get_peer(sink.get()));
  }
  return {};
}

struct LeastFrames {
  FrameSize size;
  std::string taker;
};

GstPadProbeReturn on_small_size(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  GstEvent* const event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_PAD_PROBE_OK;
  const ElementPtr encoder(gst_pad_get_parent_element(pad));
  if (encoder == nullptr) return GST_PAD_PROBE_OK;
  const auto* least = static_cast<const LeastFrames*>(data);
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  const FrameSize size = frame_size_of(caps);
  if (size.width >= least->size.width && size.height >= least->size.height) return GST_PAD_PROBE_OK;
  GST_ELEMENT_ERROR(
      encoder.get(), STREAM, FORMAT,
      ("frames of %s are too small: %s takes %s and larger; write a %s.y4m or .png file", size_text(size).c_str(),
       least->taker.c_str(), size_text(least->size).c_str(), least->size.width > kLeastSubsampled ? ".mkv, " : ""),
      (nullptr));
  return GST_PAD_PROBE_OK;  // not linked, or not negotiated, which what is upstream then knows
}

// Answers for the encoder alone what sizes it takes: elements before it would otherwise fail first, without a word
// about sizes.
GstPadProbeReturn on_answered_query(GstPad* pad, GstPadProbeInfo* info, gpointer) {
  GstQuery* const query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_CAPS) return GST_PAD_PROBE_OK;
  GstCaps *answer = nullptr, *filter = nullptr;
  gst_query_parse_caps_result(query, &answer);
  gst_query_parse_caps(query, &filter);
  if (answer == nullptr) return GST_PAD_PROBE_OK;
  if (gst_caps_is_empty(answer) == TRUE && filter != nullptr) {  // all sizes that were asked for are too small
    const CapsPtr taken(gst_pad_get_pad_template_caps(pad));
    const CapsPtr both(gst_caps_intersect(filter, taken.get()));
    gst_query_set_caps_result(query, both.get());
    return GST_PAD_PROBE_OK;
  }
  const CapsPtr any(gst_caps_copy(answer));
  for (guint i = 0; filter == nullptr && i < gst_caps_get_size(any.get()); ++i) {
    GstStructure* const structure = gst_caps_get_structure(any.get(), i);
    for (const char* side : {"width", "height"}) {
      const GValue* const value = gst_structure_get_value(structure, side);
      if (value == nullptr || !GST_VALUE_HOLDS_INT_RANGE(value)) continue;
      gst_structure_set(structure, side, GST_TYPE_INT_RANGE, 1, gst_value_get_int_range_max(value), nullptr);
    }
  }
  gst_query_set_caps_result(query, any.get());
  return GST_PAD_PROBE_OK;
}

}  // namespace

void reject_small_frames(GstElement* pipeline, const char* muxer) {
  const ElementPtr element(gst_bin_get_by_name(GST_BIN(pipeline), muxer));
  const PadPtr pad = element != nullptr ? video_pad_of(element.get()) : nullptr;
  const PadPtr encoder = pad != nullptr ? encoder_pad_before(pad.get()) : nullptr;
  if (encoder == nullptr) return;
  const PadPtr peer(gst_pad_get_peer(pad.get()));
  const CapsPtr sent(gst_pad_get_pad_template_caps(peer.get())), taken(gst_pad_get_pad_template_caps(pad.get()));
  const CapsPtr both(gst_caps_intersect(sent.get(), taken.get()));
  auto least = std::make_unique<LeastFrames>();
  least->size = {least_of(both.get(), "width"), least_of(both.get(), "height")};
  least->taker = GST_OBJECT_NAME(gst_element_get_factory(element.get()));
  if (least->size.width < kLeastSubsampled) *least = {{kLeastSubsampled, kLeastSubsampled}, "the conversion to 4:2:0"};
  const auto answered = static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PULL);
  gst_pad_add_probe(encoder.get(), answered, on_answered_query, nullptr, nullptr);
  gst_pad_add_probe(encoder.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_small_size, least.release(),
                    [](gpointer data) { delete static_cast<LeastFrames*>(data); });
}

namespace {

// The layout without padding.
GstVideoInfo packed_layout(const GstVideoInfo& info) {
  GstVideoInfo packed = info;
  gsize size = 0;
  for (guint plane = 0; plane < GST_VIDEO_INFO_N_PLANES(&info); ++plane) {
    // The first component of a plane has its size.
    gint components[GST_VIDEO_MAX_COMPONENTS];
    gst_video_format_info_component(info.finfo, plane, components);
    const gint component = components[0];
    packed.stride[plane] = GST_VIDEO_INFO_COMP_WIDTH(&info, component) * GST_VIDEO_INFO_COMP_PSTRIDE(&info, component);
    packed.offset[plane] = size;
    size += static_cast<gsize>(packed.stride[plane]) * static_cast<gsize>(GST_VIDEO_INFO_COMP_HEIGHT(&info, component));
  }
  packed.size = size;
  return packed;
}

// Whether the rows of the frame have no padding although GStreamer assumes it.
bool is_packed(GstBuffer* buffer, const GstVideoInfo& plain, const GstVideoInfo& packed) {
  const gsize size = gst_buffer_get_size(buffer);
  return size != GST_VIDEO_INFO_SIZE(&plain) && size == GST_VIDEO_INFO_SIZE(&packed);
}

GstBuffer* padded(GstBuffer* buffer, GstVideoInfo plain, GstVideoInfo packed) {
  GstBuffer* const copy = gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&plain), nullptr);
  GstVideoFrame from, to;
  if (gst_video_frame_map(&from, &packed, buffer, GST_MAP_READ)) {
    if (gst_video_frame_map(&to, &plain, copy, GST_MAP_WRITE)) {
      gst_video_frame_copy(&to, &from);
      gst_video_frame_unmap(&to);
    }
    gst_video_frame_unmap(&from);
  }
  gst_buffer_copy_into(copy, buffer, GST_BUFFER_COPY_METADATA, 0, G_MAXSIZE);
  gst_buffer_unref(buffer);
  return copy;
}

GstPadProbeReturn describe(GstPad* pad, GstPadProbeInfo* info, gpointer) {
  GstBuffer* buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  const CapsPtr caps(gst_pad_get_current_caps(pad));
  GstVideoInfo plain;
  if (gst_buffer_get_video_meta(buffer) != nullptr || caps == nullptr ||
      !gst_video_info_from_caps(&plain, caps.get())) {
    return GST_PAD_PROBE_OK;
  }
  const GstVideoInfo packed = packed_layout(plain);
  const bool pads = is_packed(buffer, plain, packed);
  if (!pads && gst_buffer_get_size(buffer) != GST_VIDEO_INFO_SIZE(&plain)) return GST_PAD_PROBE_OK;
  buffer = pads ? padded(buffer, plain, packed) : gst_buffer_make_writable(buffer);
  // Without it, glupload of GStreamer 1.22 looks for the planes of frames with odd heights at wrong offsets.
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&plain),
                                 static_cast<guint>(GST_VIDEO_INFO_WIDTH(&plain)),
                                 static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&plain)), GST_VIDEO_INFO_N_PLANES(&plain),
                                 plain.offset, plain.stride);
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  return GST_PAD_PROBE_OK;
}

void on_frames(GstElement*, GstPad* pad, gpointer) {
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, describe, nullptr, nullptr);
}

constexpr const char* kColors = "colorimetry";
// The same from the container, under a name that parsers pass on and do not know.
constexpr const char* kContainerColors = "sightglass-container-colorimetry";

// Renames a field in the caps of an event, unless they have the new one already: then the old one goes.
GstPadProbeReturn rename_field(GstPadProbeInfo* info, const char* from, const char* to) {
  GstEvent* const event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_PAD_PROBE_OK;
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  const char* const colors = gst_structure_get_string(gst_caps_get_structure(caps, 0), from);
  if (colors == nullptr) return GST_PAD_PROBE_OK;
  const CapsPtr renamed(gst_caps_copy(caps));
  GstStructure* const structure = gst_caps_get_structure(renamed.get(), 0);
  if (!gst_structure_has_field(structure, to)) gst_structure_set(structure, to, G_TYPE_STRING, colors, nullptr);
  gst_structure_remove_field(structure, from);
  GstEvent* const corrected = gst_event_new_caps(renamed.get());
  gst_event_set_seqnum(corrected, gst_event_get_seqnum(event));
  gst_event_unref(event);
  GST_PAD_PROBE_INFO_DATA(info) = corrected;
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn hide_colors(GstPad*, GstPadProbeInfo* info, gpointer) {
  return rename_field(info, kColors, kContainerColors);
}

GstPadProbeReturn show_colors(GstPad*, GstPadProbeInfo* info, gpointer) {
  return rename_field(info, kContainerColors, kColors);
}

bool is_parsed(const GstPad* pad) {
  const CapsPtr caps(gst_pad_get_current_caps(const_cast<GstPad*>(pad)));
  if (caps == nullptr) return false;
  const GstStructure* const structure = gst_caps_get_structure(caps.get(), 0);
  return gst_structure_has_name(structure, "video/x-h264") || gst_structure_has_name(structure, "video/x-h265");
}

void on_stream(GstElement*, GstPad* pad, gpointer) {
  if (is_parsed(pad)) gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, hide_colors, nullptr, nullptr);
}

void on_element(GstBin*, GstBin*, GstElement* element, gpointer) {
  GstElementFactory* const factory = gst_element_get_factory(element);
  const std::string_view name = factory != nullptr ? GST_OBJECT_NAME(factory) : "";
  if (name == "qtdemux") g_signal_connect(element, "pad-added", G_CALLBACK(on_stream), nullptr);
  if (name != "h264parse" && name != "h265parse") return;
  const PadPtr source(gst_element_get_static_pad(element, "src"));
  gst_pad_add_probe(source.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, show_colors, nullptr, nullptr);
}

}  // namespace

void correct_demuxers(GstElement* pipeline) {
  if (!GST_IS_BIN(pipeline)) return;
  const ElementPtr decoder(gst_bin_get_by_name(GST_BIN(pipeline), kDecoderElement));
  if (decoder == nullptr) return;
  g_signal_connect(decoder.get(), "pad-added", G_CALLBACK(on_frames), nullptr);
  g_signal_connect(decoder.get(), "deep-element-added", G_CALLBACK(on_element), nullptr);
}

}  // namespace sightglass::video
