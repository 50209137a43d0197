// Description of the machine for a report.
#pragma once

#include <nlohmann/json.hpp>

namespace sightglass::bench {

// Processor, cores, memory, system and load, as far as readable.
nlohmann::ordered_json describe_machine();

}  // namespace sightglass::bench
