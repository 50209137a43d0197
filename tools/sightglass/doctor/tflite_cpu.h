// Measures models with an installed TensorFlow Lite, on the CPU. This project does not contain or link it.
#pragma once

#include <string>

#include "doctor/doctor_report.h"
#include "sightglass/status.h"

namespace sightglass::doctor {

inline constexpr const char* kNotInstalled = "not installed";

// Uses libtensorflowlite_c.so if the loader finds it, otherwise the Python modules ai_edge_litert, tflite_runtime, or
// tensorflow, in a separate process. Takes about three seconds, and the start of Python. Fails with kNotFound and
// kNotInstalled if there is neither.
Result<CpuTime> measure_on_cpu(const std::string& model_file);

// One of the two. Both run the model with `threads` threads.
Result<CpuTime> measure_with_library(const std::string& model_file, int threads);
Result<CpuTime> measure_with_python(const std::string& model_file, int threads);

}  // namespace sightglass::doctor
