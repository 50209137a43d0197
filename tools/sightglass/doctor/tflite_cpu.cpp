#include "doctor/tflite_cpu.h"

#include <algorithm>
#include <thread>

namespace sightglass::doctor {

Result<CpuTime> measure_on_cpu(const std::string& model_file) {
  // TensorFlow Lite rarely gains from more threads.
  const int threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 4);
  Result<CpuTime> time = measure_with_library(model_file, threads);
  if (time.ok() || time.status().code() != ErrorCode::kNotFound) return time;
  return measure_with_python(model_file, threads);
}

}  // namespace sightglass::doctor
