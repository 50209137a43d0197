#include "video/raw_layout.h"

#include <gst/video/video.h>

#include "video/gst_objects.h"
#include "video/input.h"

namespace sightglass::video {

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

void watch(GstElement*, GstPad* pad, gpointer) {
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, describe, nullptr, nullptr);
}

}  // namespace

void pad_raw_frames(GstElement* pipeline) {
  if (!GST_IS_BIN(pipeline)) return;
  const ElementPtr decoder(gst_bin_get_by_name(GST_BIN(pipeline), kDecoderElement));
  if (decoder != nullptr) g_signal_connect(decoder.get(), "pad-added", G_CALLBACK(watch), nullptr);
}

}  // namespace sightglass::video
