#include "video/last_frame.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include "video/gst_objects.h"

namespace sightglass::video {

namespace {

// The muxer uses the duration of the last buffer only. Which one is the last is not known, so each lasts until the end
// of everything before it.
GstPadProbeReturn on_encoded(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto& end = *static_cast<GstClockTime*>(data);
  GstBuffer* const buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  if (!GST_BUFFER_PTS_IS_VALID(buffer) || !GST_BUFFER_DTS_IS_VALID(buffer)) return GST_PAD_PROBE_OK;
  const GstClockTime shown = GST_BUFFER_DURATION_IS_VALID(buffer) ? GST_BUFFER_DURATION(buffer) : 0;
  end = std::max(end, GST_BUFFER_PTS(buffer) + shown);
  if (end > GST_BUFFER_DTS(buffer)) GST_BUFFER_DURATION(buffer) = end - GST_BUFFER_DTS(buffer);
  return GST_PAD_PROBE_OK;
}

}  // namespace

void keep_last_frames(GstElement* pipeline, const char* muxer) {
  const ElementPtr element(gst_bin_get_by_name(GST_BIN(pipeline), muxer));
  if (element == nullptr) return;
  const std::string_view factory = GST_OBJECT_NAME(gst_element_get_factory(element.get()));
  if (factory != "mp4mux" && factory != "qtmux") return;
  GList* const pads = element->sinkpads;
  for (GList* item = pads; item != nullptr; item = item->next) {
    auto* const pad = GST_PAD(item->data);
    if (!std::string_view(GST_PAD_NAME(pad)).starts_with("video_")) continue;
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_encoded, new GstClockTime(0),
                      [](gpointer end) { delete static_cast<GstClockTime*>(end); });
  }
}

}  // namespace sightglass::video
