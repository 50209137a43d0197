#include "video/contact_sheet.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "gpu_engine/files.h"
#include "video/gst_setup.h"

namespace sightglass::video {

namespace {

// Copies a frame to system memory, so that the original can return to its pool (perhaps of the camera), and its GL
// context can end with the pipeline. Returns null if the frame cannot be mapped.
SamplePtr to_system_memory(GstBuffer* buffer, const GstCaps* caps) {
  GstVideoInfo info, plain;
  GstVideoFrame from, to;
  if (!gst_video_info_from_caps(&info, caps) || !gst_video_frame_map(&from, &info, buffer, GST_MAP_READ))
    return nullptr;
  gst_video_info_set_format(&plain, GST_VIDEO_INFO_FORMAT(&info), static_cast<guint>(GST_VIDEO_INFO_WIDTH(&info)),
                            static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&info)));
  plain.par_n = info.par_n;
  plain.par_d = info.par_d;
  plain.fps_n = info.fps_n;
  plain.fps_d = info.fps_d;
  plain.colorimetry = info.colorimetry;
  plain.chroma_site = info.chroma_site;
  GstBuffer* copy = gst_buffer_new_allocate(nullptr, plain.size, nullptr);
  SamplePtr sample;
  if (gst_video_frame_map(&to, &plain, copy, GST_MAP_WRITE)) {
    const gboolean copied = gst_video_frame_copy(&to, &from);
    gst_video_frame_unmap(&to);
    GstCaps* plain_caps = gst_video_info_to_caps(&plain);
    if (copied) sample.reset(gst_sample_new(copy, plain_caps, nullptr, nullptr));
    gst_caps_unref(plain_caps);
  }
  gst_buffer_unref(copy);
  gst_video_frame_unmap(&from);
  return sample;
}

}  // namespace

void FrameSamples::watch(GstElement* element) {
  const PadPtr pad(gst_element_get_static_pad(element, "sink"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_frame, this, nullptr);
}

GstPadProbeReturn FrameSamples::on_frame(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  const CapsPtr caps(gst_pad_get_current_caps(pad));
  if (caps != nullptr) static_cast<FrameSamples*>(data)->offer(GST_PAD_PROBE_INFO_BUFFER(info), caps.get());
  return GST_PAD_PROBE_OK;
}

void FrameSamples::offer(GstBuffer* buffer, const GstCaps* caps) {
  const std::lock_guard lock(mutex_);
  const uint64_t index = frames_++;
  if (index % stride_ != 0) return;
  if (samples_.size() == kMost) {
    stride_ *= 2;
    for (size_t i = 0; i < kMost / 2; ++i) samples_[i] = std::move(samples_[2 * i]);
    samples_.resize(kMost / 2);
    if (index % stride_ != 0) return;
  }
  if (SamplePtr sample = to_system_memory(buffer, caps)) samples_.push_back(std::move(sample));
}

std::vector<SamplePtr> FrameSamples::take(size_t wanted) {
  const std::lock_guard lock(mutex_);
  std::vector<SamplePtr> chosen;
  const size_t count = std::min(wanted, samples_.size());
  for (size_t i = 0; i < count; ++i) chosen.push_back(std::move(samples_[(2 * i + 1) * samples_.size() / (2 * count)]));
  return chosen;
}

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
