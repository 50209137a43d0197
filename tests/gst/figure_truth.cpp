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

}  // namespace

Figure draw_figure(int32_t width, int32_t height, const std::string& properties) {
  Figure figure{Rgba(width, height), {}, {}};
  const Launched pipeline("glfiguresrc name=figure num-buffers=1 " + properties +
                          " ! video/x-raw(memory:GLMemory),width=" + std::to_string(width) + ",height=" +
                          std::to_string(height) + " ! gldownload ! video/x-raw,format=RGBA ! appsink name=sink");
  on_buffers(pipeline["figure"], "src", [&figure](GstBuffer* buffer) {
    const SightglassFigureMeta* meta = sightglass_buffer_get_figure_meta(buffer);
    std::ranges::copy(meta->key_points, figure.key_points.begin());
    figure.mask = mask_of(*meta);
  });
  pipeline.play();
  GstSample* sample = pipeline.pull();
  std::vector<uint8_t>& pixels = figure.picture.pixels;
  if (sample != nullptr) {
    // RGBA rows have no padding in the default layout of GStreamer.
    EXPECT_EQ(gst_buffer_extract(gst_sample_get_buffer(sample), 0, pixels.data(), pixels.size()), pixels.size());
    gst_sample_unref(sample);
  }
  return figure;
}

void Truths::collect_from(GstElement* figure) {
  on_buffers(figure, "src", [this](GstBuffer* buffer) {
    const SightglassFigureMeta* meta = sightglass_buffer_get_figure_meta(buffer);
    ASSERT_NE(meta, nullptr);
    const std::lock_guard lock(mutex);
    masks.push_back(mask_of(*meta));
  });
}

std::vector<uint8_t> take_first_component(GstSample* sample) {
  GstVideoInfo info;
  gst_video_info_from_caps(&info, gst_sample_get_caps(sample));
  std::vector<uint8_t> values = read_component(gst_sample_get_buffer(sample), info);
  gst_sample_unref(sample);
  return values;
}

}  // namespace sightglass::test
