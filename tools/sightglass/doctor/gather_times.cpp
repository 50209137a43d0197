#include "doctor/gather_times.h"

#include "common/cache_folder.h"
#include "common/progress.h"
#include "doctor/composite_time.h"
#include "doctor/tflite_cpu.h"
#include "model/model_bench.h"
#include "model/model_run.h"
#include "model_store.h"

namespace sightglass::doctor {

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

void measure_glsegment(MeasuredSection& section) {
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
    progress.show("measuring glsegment", 4, kSteps);
    measure_glsegment(section);
  }
  return section;
}

}  // namespace sightglass::doctor
