// Formats the metadata of a model as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sightglass/model_metadata.h"

namespace sightglass {

// Appends nothing if the file has no metadata.
void append_metadata(std::string& text, const ModelMetadata& metadata);
nlohmann::ordered_json metadata_json(const ModelMetadata& metadata);

}  // namespace sightglass
