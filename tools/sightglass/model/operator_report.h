// Formats the operators of the engine as a page of documentation and as JSON: `sightglass operators`.
#pragma once

#include <string>

#include "gpu_engine/operators.h"

namespace sightglass {

std::string format_markdown(const SupportTable& table);
std::string format_json(const SupportTable& table);

}  // namespace sightglass
