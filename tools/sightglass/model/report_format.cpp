#include "model/report_format.h"

#include <vector>

#include "gpu_engine/quoted.h"

namespace sightglass {

const char* name_of(Precision precision) { return precision == Precision::kFp16 ? "fp16" : "fp32"; }

const char* name_of_convolutions(bool exact) { return exact ? "exact" : "fast"; }

const char* name_of(TuningMode mode) {
  return mode == TuningMode::kOff ? "off" : mode == TuningMode::kOn ? "on" : "cached";
}

double kib(int64_t bytes) { return static_cast<double>(bytes) / 1024; }

double arena_ratio(const MemoryReport& memory) {
  if (memory.lower_bound_bytes == 0) return 1;
  return static_cast<double>(memory.arena_bytes) / static_cast<double>(memory.lower_bound_bytes);
}

nlohmann::ordered_json tensor_json(const TensorInfo& info) {
  const auto dims = info.shape.dims();
  return {
      {"name", info.name}, {"type", to_string(info.type)}, {"shape", std::vector<int32_t>(dims.begin(), dims.end())}};
}

nlohmann::ordered_json memory_json(const MemoryReport& memory) {
  return {{"arena_bytes", memory.arena_bytes},
          {"lower_bound_bytes", memory.lower_bound_bytes},
          {"tensor_bytes", memory.tensor_bytes},
          {"constant_bytes", memory.constant_bytes},
          {"weight_bytes", memory.weight_bytes}};
}

std::string to_text(const nlohmann::ordered_json& root) {
  return printable_json(root.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)) + "\n";
}

}  // namespace sightglass
