// Model files on disk.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "sightglass/model.h"
#include "tflite/import.h"

namespace sightglass::tflite {

struct MappedFile {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  // keeps the file mapped
};

// Errors do not name the file.
Result<MappedFile> map_file(const std::string& path);

ImportOptions import_options(const ModelOptions& options);

// Errors name the file.
Result<Survey> survey_file(const std::string& path, const ModelOptions& options);

}  // namespace sightglass::tflite
