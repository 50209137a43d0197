#include "contact_sheet.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "gpu_engine/output_file.h"

namespace sightglass::demo {

namespace {

struct Unref {
  void operator()(gpointer object) const { g_object_unref(object); }
};
using Pixbuf = std::unique_ptr<GdkPixbuf, Unref>;

struct StopAndUnref {
  void operator()(GstElement* pipeline) const {
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
  }
};

// Scales a frame; transparent areas show a checkerboard.
Pixbuf scaled(GstSample* sample, int width) {
  GstVideoInfo info;
  GstVideoFrame frame;
  if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) ||
      !gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ)) {
    return nullptr;
  }
  const int height = std::max(1, width * GST_VIDEO_INFO_HEIGHT(&info) / GST_VIDEO_INFO_WIDTH(&info));
  const Pixbuf full(gdk_pixbuf_new_from_data(static_cast<const guchar*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)),
                                             GDK_COLORSPACE_RGB, TRUE, 8, GST_VIDEO_INFO_WIDTH(&info),
                                             GST_VIDEO_INFO_HEIGHT(&info), GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0),
                                             nullptr, nullptr));
  Pixbuf small(
      gdk_pixbuf_composite_color_simple(full.get(), width, height, GDK_INTERP_BILINEAR, 255, 16, 0x909090, 0xb0b0b0));
  gst_video_frame_unmap(&frame);
  return small;
}

// Sends one sample through `middle` and returns the resulting image.
Result<Pixbuf> render(const Sample& sample, const std::string& middle, int width) {
  SIGHTGLASS_ASSIGN_OR_RETURN(GstElement* const parsed,
                              parse("appsrc name=source format=time ! glupload ! glcolorconvert ! " + middle +
                                    " ! gldownload ! video/x-raw,format=RGBA ! appsink name=sink sync=false"));
  const std::unique_ptr<GstElement, StopAndUnref> pipeline(parsed);
  const std::unique_ptr<GstElement, Unref> source(gst_bin_get_by_name(GST_BIN(parsed), "source"));
  const std::unique_ptr<GstElement, Unref> sink(gst_bin_get_by_name(GST_BIN(parsed), "sink"));
  gst_element_set_state(parsed, GST_STATE_PLAYING);
  gst_app_src_push_sample(GST_APP_SRC(source.get()), sample.get());
  gst_app_src_end_of_stream(GST_APP_SRC(source.get()));
  const Sample out(gst_app_sink_pull_sample(GST_APP_SINK(sink.get())));
  Pixbuf picture = out != nullptr ? scaled(out.get(), width) : nullptr;
  if (picture == nullptr) return device_error("no image came out of " + middle);
  return picture;
}

}  // namespace

Status write_contact_sheet(const Options& options, const std::vector<Sample>& samples, int column_width,
                           const std::string& path) {
  constexpr int kGap = 4;
  const std::string rows[] = {"identity", segment_text(options, "mask"), segment_text(options)};
  Pixbuf sheet;
  int x = 0;
  for (const Sample& sample : samples) {
    int y = 0;
    for (const std::string& middle : rows) {
      SIGHTGLASS_ASSIGN_OR_RETURN(const Pixbuf picture, render(sample, middle, column_width));
      const int height = gdk_pixbuf_get_height(picture.get());
      if (sheet == nullptr) {
        const int columns = static_cast<int>(samples.size());
        sheet.reset(gdk_pixbuf_new(GDK_COLORSPACE_RGB, FALSE, 8, columns * (column_width + kGap) - kGap,
                                   3 * (height + kGap) - kGap));
        gdk_pixbuf_fill(sheet.get(), 0xffffffff);
      }
      const int fitting = std::min(height, gdk_pixbuf_get_height(sheet.get()) - y);
      gdk_pixbuf_composite(picture.get(), sheet.get(), x, y, column_width, fitting, x, y, 1, 1, GDK_INTERP_NEAREST,
                           255);
      y += fitting + kGap;
    }
    x += column_width + kGap;
  }
  if (sheet == nullptr) return device_error("cannot write a contact sheet: no frame arrived");
  GError* error = nullptr;
  gchar* bytes = nullptr;
  gsize size = 0;
  if (!gdk_pixbuf_save_to_buffer(sheet.get(), &bytes, &size, "png", &error, "compression", "9", nullptr)) {
    Status status = device_error(path + ": " + error->message);
    g_error_free(error);
    return status;
  }
  const std::unique_ptr<gchar, decltype(&g_free)> owner(bytes, g_free);
  return write_output_file(path, std::string_view(bytes, size));
}

}  // namespace sightglass::demo
