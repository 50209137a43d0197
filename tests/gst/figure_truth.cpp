#include "figure_truth.h"

#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "figure_meta.h"

namespace sightglass::test {

namespace {

// The first component of each pixel.
std::vector<uint8_t> read_component(GstBuffer* buffer, const GstVideoInfo& info) {
  GstVideoFrame frame;
  std::vector<uint8_t> values;
  if (!gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ)) return values;
  const auto* data = static_cast<const uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0));
  for (int y = 0; y < GST_VIDEO_FRAME_HEIGHT(&frame); ++y) {
    for (int x = 0; x < GST_VIDEO_FRAME_WIDTH(&frame); ++x) {
      values.push_back(data[static_cast<ptrdiff_t>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0) +
                            static_cast<ptrdiff_t>(x) * GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, 0)]);
    }
  }
  gst_video_frame_unmap(&frame);
  return values;
}

GstPadProbeReturn on_figure(GstPad*, GstPadProbeInfo* info, gpointer data) {
  const SightglassFigureMeta* meta = sightglass_buffer_get_figure_meta(GST_PAD_PROBE_INFO_BUFFER(info));
  EXPECT_NE(meta, nullptr);
  if (meta == nullptr) return GST_PAD_PROBE_OK;
  const GstVideoMeta* video = gst_buffer_get_video_meta(meta->mask);
  GstVideoInfo mask_info;
  gst_video_info_set_format(&mask_info, video->format, video->width, video->height);
  auto* truths = static_cast<Truths*>(data);
  const std::lock_guard lock(truths->mutex);
  truths->masks.push_back(read_component(meta->mask, mask_info));
  return GST_PAD_PROBE_OK;
}

}  // namespace

void Truths::collect_at(GstPad* pad) { gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_figure, this, nullptr); }

std::vector<uint8_t> take_first_component(GstSample* sample) {
  GstVideoInfo info;
  gst_video_info_from_caps(&info, gst_sample_get_caps(sample));
  std::vector<uint8_t> values = read_component(gst_sample_get_buffer(sample), info);
  gst_sample_unref(sample);
  return values;
}

std::string error_of(GstElement* pipeline) {
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
  gst_object_unref(bus);
  if (message == nullptr) return "no error was posted";
  GError* error = nullptr;
  gst_message_parse_error(message, &error, nullptr);
  std::string text = error->message;
  g_error_free(error);
  gst_message_unref(message);
  return text;
}

}  // namespace sightglass::test
