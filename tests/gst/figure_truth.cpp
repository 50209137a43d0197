#include "figure_truth.h"

#include <gst/app/gstappsink.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include "test_pipeline.h"

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

std::vector<uint8_t> mask_of(const SightglassFigureMeta& meta) {
  const GstVideoMeta* video = gst_buffer_get_video_meta(meta.mask);
  GstVideoInfo info;
  gst_video_info_set_format(&info, video->format, video->width, video->height);
  return read_component(meta.mask, info);
}

GstPadProbeReturn on_figure(GstPad*, GstPadProbeInfo* info, gpointer data) {
  const SightglassFigureMeta* meta = sightglass_buffer_get_figure_meta(GST_PAD_PROBE_INFO_BUFFER(info));
  EXPECT_NE(meta, nullptr);
  if (meta == nullptr) return GST_PAD_PROBE_OK;
  auto* truths = static_cast<Truths*>(data);
  const std::lock_guard lock(truths->mutex);
  truths->masks.push_back(mask_of(*meta));
  return GST_PAD_PROBE_OK;
}

}  // namespace

Figure draw_figure(int32_t width, int32_t height, const std::string& properties) {
  init_gstreamer();
  const std::string text = "glfiguresrc name=figure num-buffers=1 " + properties +
                           " ! video/x-raw(memory:GLMemory),width=" + std::to_string(width) +
                           ",height=" + std::to_string(height) +
                           " ! gldownload ! video/x-raw,format=RGBA ! appsink name=sink";
  GstElement* pipeline = gst_parse_launch(text.c_str(), nullptr);
  GstElement *source = gst_bin_get_by_name(GST_BIN(pipeline), "figure"),
             *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  Figure figure{Rgba(width, height), {}, {}};
  GstPad* pad = gst_element_get_static_pad(source, "src");
  gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad*, GstPadProbeInfo* info, gpointer data) {
        const SightglassFigureMeta* meta = sightglass_buffer_get_figure_meta(GST_PAD_PROBE_INFO_BUFFER(info));
        auto* drawn = static_cast<Figure*>(data);
        std::ranges::copy(meta->key_points, drawn->key_points.begin());
        drawn->mask = mask_of(*meta);
        return GST_PAD_PROBE_OK;
      },
      &figure, nullptr);
  gst_object_unref(pad);
  gst_object_unref(source);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstSample* sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink), 60 * GST_SECOND);
  std::vector<uint8_t>& pixels = figure.picture.pixels;
  EXPECT_NE(sample, nullptr) << error_of(pipeline);
  if (sample != nullptr) {
    // RGBA rows have no padding in the default layout of GStreamer.
    EXPECT_EQ(gst_buffer_extract(gst_sample_get_buffer(sample), 0, pixels.data(), pixels.size()), pixels.size());
    gst_sample_unref(sample);
  }
  gst_object_unref(sink);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  return figure;
}

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
