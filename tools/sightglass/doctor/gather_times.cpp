#include <gst/gst.h>

#include <string>

#include "common/command_line.h"
#include "common/progress.h"
#include "doctor/gather.h"
#include "doctor/tflite_cpu.h"
#include "model/model_bench.h"
#include "model/model_run.h"
#include "model_store.h"
#include "sightglass/cache_folder.h"
#include "sightglass/status.h"
#include "video/gst_setup.h"

namespace sightglass::doctor {

namespace {

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
  const video::ElementPtr element(gst_bin_get_by_name(GST_BIN(pipeline), "measured"));
  GstStructure* stats = nullptr;
  g_object_get(element.get(), "stats", &stats, nullptr);
  const std::unique_ptr<GstStructure, FreeStructure> owner(stats);
  guint64 time = 0;
  if (gst_structure_get_uint64(stats, "gpu-time-p50", &time) == FALSE || time == 0) {
    return unsupported(std::string(kMeasuredElement) + " does not report its GPU time");
  }
  return static_cast<double>(time) / 1e6;
}

}  // namespace

// Milliseconds of GPU time that kMeasuredElement with its default settings takes for a 1280x720 frame on which the
// model does not run. Runs a pipeline with the bundled model. Requires that GStreamer is initialized. Fails if the
// pipeline does.
Result<double> measure_composite() {
  // The median then is a frame without a run of the model.
  const std::string text =
      std::string("videotestsrc num-buffers=40 ! video/x-raw,format=RGBA,width=1280,height=720 ! glupload ! ") +
      kMeasuredElement + " name=measured model=figure inference-interval=3600 ! fakesink sync=false";
  GError* error = nullptr;
  const video::ElementPtr pipeline(gst_parse_launch(text.c_str(), &error));
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

namespace {

constexpr int kSteps = 5;  // of the progress bar

void measure_device_speed(MeasuredSection& section) {
  const auto device = bench_models({.models = {}, .run = {}, .starts = false});
  if (!device.ok()) return;
  section.multiply_adds_per_second = device->speed.multiply_adds_per_second;
  section.copied_bytes_per_second = device->speed.copied_bytes_per_second;
}

std::optional<ModelTime> measure_model(Precision precision, MeasuredSection& section) {
  RunOptions options;
  options.model = section.model;
  options.precision = precision;
  options.cache_folder = default_cache_folder();
  const auto report = run_model(options);
  if (report.ok()) return ModelTime{report->times.median, report->times.p95};
  section.gpu_error = report.status().message();
  return std::nullopt;
}

void measure_cpu(MeasuredSection& section) {
  const auto file = ModelStore().resolve(section.model);
  if (!file.ok()) {
    section.cpu_error = file.status().message();
    return;
  }
  const auto time = measure_on_cpu(*file);
  if (time.ok()) {
    section.cpu = *time;
  } else {
    section.cpu_error = time.status().message();
  }
}

void measure_element(MeasuredSection& section) {
  const auto composite = measure_composite();
  if (composite.ok()) {
    section.composite = *composite;
  } else {
    section.composite_error = composite.status().message();
  }
}

}  // namespace

MeasuredSection gather_times(const std::string& model, const GlSection& gl, bool plugin) {
  MeasuredSection section;
  section.model = model;
  section.software = gl.software;
  Progress progress;
  if (gl.available) {
    progress.show("measuring the device", 0, kSteps);
    measure_device_speed(section);
    progress.show("measuring the model with precision=fp32", 1, kSteps);
    section.fp32 = measure_model(Precision::kFp32, section);  // on failure, fp16 fails as well
    progress.show("measuring the model with precision=fp16", 2, kSteps);
    if (section.fp32) section.fp16 = measure_model(Precision::kFp16, section);
  } else {
    section.gpu_error = "OpenGL is not available";
  }
  progress.show("measuring TensorFlow Lite", 3, kSteps);
  measure_cpu(section);
  if (section.fp32 && plugin) {
    progress.show(std::string("measuring ") + kMeasuredElement, 4, kSteps);
    measure_element(section);
  }
  return section;
}

}  // namespace sightglass::doctor
