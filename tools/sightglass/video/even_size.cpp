#include "video/even_size.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "video/gst_objects.h"

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
        ("frames of %s are too small for this encoder; write a .webm or .png file", size_text(size).c_str()),
        (nullptr));
    return GST_PAD_PROBE_DROP;
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

}  // namespace sightglass::video
