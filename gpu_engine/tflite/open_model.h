// How options apply to the import of model files.
#pragma once

#include <string>

#include "sightglass/model.h"
#include "tflite/import.h"

namespace sightglass::tflite {

// `file_bytes`: the size of the file.
ImportOptions import_options(const ModelOptions& options, size_t file_bytes);

// Errors name the file.
Result<Survey> survey_file(const std::string& path, const ModelOptions& options);

}  // namespace sightglass::tflite
