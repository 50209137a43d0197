#include "video/gif_input.h"

#include <string_view>

namespace sightglass::video {

namespace {

bool is_gif_demuxer(GstElement* element) {
  GstElementFactory* const factory = element == nullptr ? nullptr : gst_element_get_factory(element);
  return factory != nullptr && std::string_view(GST_OBJECT_NAME(factory)) == "avdemux_gif";
}

}  // namespace

GifInput::GifInput(GstElement* pipeline, GstElement* model) {
  g_signal_connect(pipeline, "deep-element-added", G_CALLBACK(on_element), this);
  const PadPtr pad(gst_element_get_static_pad(model, "sink"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_frame, this, nullptr);
}

void GifInput::on_element(GstBin*, GstBin*, GstElement* element, gpointer input) {
  if (is_gif_demuxer(element)) static_cast<GifInput*>(input)->active_ = true;
}

GstPadProbeReturn GifInput::on_frame(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto* input = static_cast<GifInput*>(data);
  if (!input->active_) return GST_PAD_PROBE_OK;
  GstBuffer* const buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  // Browsers show frames without a duration for this long.
  constexpr GstClockTime kUsual = 100 * GST_MSECOND;
  if (!GST_BUFFER_DURATION_IS_VALID(buffer) || GST_BUFFER_DURATION(buffer) == 0) GST_BUFFER_DURATION(buffer) = kUsual;
  GST_BUFFER_PTS(buffer) = input->next_;
  input->next_ += GST_BUFFER_DURATION(buffer);
  return GST_PAD_PROBE_OK;
}

bool GifInput::ended(GstElement* stuck, double idle) const {
  // It reads the file faster than that, even from a slow disk.
  constexpr double kSeconds = 2;
  return active_ && idle > kSeconds && is_gif_demuxer(stuck);
}

}  // namespace sightglass::video
