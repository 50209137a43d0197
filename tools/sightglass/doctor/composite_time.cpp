#include "doctor/composite_time.h"

#include <gst/gst.h>

#include <string>

#include "video/gst_objects.h"

namespace sightglass::doctor {

namespace {

// The median then is a frame without a run of the model.
constexpr const char* kPipeline =
    "videotestsrc num-buffers=40 ! video/x-raw,format=RGBA,width=1280,height=720 ! glupload ! "
    "glsegment name=segment model=figure inference-interval=3600 ! fakesink sync=false";
// Software renderers compile for seconds.
constexpr GstClockTime kTimeout = 120 * GST_SECOND;

struct FreeError {
  void operator()(GError* error) const { g_error_free(error); }
};
using ErrorPtr = std::unique_ptr<GError, FreeError>;
struct UnrefMessage {
  void operator()(GstMessage* message) const { gst_message_unref(message); }
};
struct FreeStructure {
  void operator()(GstStructure* structure) const { gst_structure_free(structure); }
};

Status wait_for_end(GstElement* pipeline) {
  const video::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline));
  const auto types = static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  const std::unique_ptr<GstMessage, UnrefMessage> message(gst_bus_timed_pop_filtered(bus.get(), kTimeout, types));
  if (message == nullptr) return device_error("the pipeline did not end within two minutes");
  if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_EOS) return {};
  GError* error = nullptr;
  gst_message_parse_error(message.get(), &error, nullptr);
  return device_error(ErrorPtr(error)->message);
}

Result<double> composite_of(GstElement* pipeline) {
  const video::ElementPtr element(gst_bin_get_by_name(GST_BIN(pipeline), "segment"));
  GstStructure* stats = nullptr;
  g_object_get(element.get(), "stats", &stats, nullptr);
  const std::unique_ptr<GstStructure, FreeStructure> owner(stats);
  guint64 time = 0;
  if (gst_structure_get_uint64(stats, "gpu-time-p50", &time) == FALSE || time == 0) {
    return unsupported("glsegment does not report its GPU time");
  }
  return static_cast<double>(time) / 1e6;
}

}  // namespace

Result<double> measure_composite() {
  GError* error = nullptr;
  const video::ElementPtr pipeline(gst_parse_launch(kPipeline, &error));
  const ErrorPtr parse_error(error);
  if (parse_error != nullptr || pipeline == nullptr) {
    return device_error(parse_error != nullptr ? parse_error->message : "the pipeline cannot be created");
  }
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const Status ended = wait_for_end(pipeline.get());
  Result<double> time = ended.ok() ? composite_of(pipeline.get()) : Result<double>(ended);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  return time;
}

}  // namespace sightglass::doctor
