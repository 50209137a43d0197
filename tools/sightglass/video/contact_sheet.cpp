#include "video/contact_sheet.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "gpu_engine/output_file.h"
#include "video/gst_objects.h"
#include "video/launch_text.h"

namespace sightglass::video {

namespace {

constexpr int kColumnWidth = 240, kGap = 4;  // in pixels

using Pixbuf = std::unique_ptr<GdkPixbuf, UnrefGObject>;

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

// Stops a pipeline when it goes out of scope.
class Running {
 public:
  explicit Running(GstElement* pipeline) : pipeline_(pipeline) { gst_element_set_state(pipeline_, GST_STATE_PLAYING); }
  ~Running() { gst_element_set_state(pipeline_, GST_STATE_NULL); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  GstElement* const pipeline_;
};

// Sends one sample through an element, and returns the resulting image.
Result<Pixbuf> render(const SamplePtr& sample, const std::string& element) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const ElementPtr pipeline,
                              parse_launch("appsrc name=source format=time ! videoconvert ! " + element +
                                           " ! videoconvert ! video/x-raw,format=RGBA ! appsink name=sink sync=false"));
  const ElementPtr source(gst_bin_get_by_name(GST_BIN(pipeline.get()), "source"));
  const ElementPtr sink(gst_bin_get_by_name(GST_BIN(pipeline.get()), "sink"));
  const Running running(pipeline.get());
  gst_app_src_push_sample(GST_APP_SRC(source.get()), sample.get());
  gst_app_src_end_of_stream(GST_APP_SRC(source.get()));
  const SamplePtr out(gst_app_sink_pull_sample(GST_APP_SINK(sink.get())));
  Pixbuf picture = out != nullptr ? scaled(out.get(), kColumnWidth) : nullptr;
  if (picture == nullptr) return device_error("no image came out of " + element);
  return picture;
}

}  // namespace

Status write_contact_sheet(const std::vector<SamplePtr>& samples, const std::vector<std::string>& elements,
                           const std::string& path) {
  Pixbuf sheet;
  int x = 0;
  for (const SamplePtr& sample : samples) {
    int y = 0;
    for (const std::string& element : elements) {
      SIGHTGLASS_ASSIGN_OR_RETURN(const Pixbuf picture, render(sample, element));
      const int height = gdk_pixbuf_get_height(picture.get());
      if (sheet == nullptr) {
        const int columns = static_cast<int>(samples.size());
        sheet.reset(gdk_pixbuf_new(GDK_COLORSPACE_RGB, FALSE, 8, columns * (kColumnWidth + kGap) - kGap,
                                   static_cast<int>(elements.size()) * (height + kGap) - kGap));
        gdk_pixbuf_fill(sheet.get(), 0xffffffff);
      }
      const int fitting = std::min(height, gdk_pixbuf_get_height(sheet.get()) - y);
      gdk_pixbuf_composite(picture.get(), sheet.get(), x, y, kColumnWidth, fitting, x, y, 1, 1, GDK_INTERP_NEAREST,
                           255);
      y += fitting + kGap;
    }
    x += kColumnWidth + kGap;
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

}  // namespace sightglass::video
