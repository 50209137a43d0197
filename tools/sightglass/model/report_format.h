// Formatting shared by the reports of the command.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common/formatting.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/tuner.h"

namespace sightglass {

const char* name_of(Precision precision);
const char* name_of_convolutions(bool exact);
const char* name_of(TuningMode mode);

double kib(int64_t bytes);
// The ratio of the arena size to its lower bound.
double arena_ratio(const MemoryReport& memory);

nlohmann::ordered_json tensor_json(const TensorInfo& info);
nlohmann::ordered_json memory_json(const MemoryReport& memory);
// Formats as text. Names come from model files and are untrusted.
std::string to_text(const nlohmann::ordered_json& root);

}  // namespace sightglass
