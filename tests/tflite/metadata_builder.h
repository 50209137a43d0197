// Metadata for models of tests, right and wrong: TensorFlow Lite's description, and the archive of attached files.
// Included as "metadata_builder.h".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model_builder.h"
#include "tflite/metadata_generated.h"

namespace sightglass::test {

struct Attached {
  std::string name, contents;
  uint16_t method = 0;
};

// A ZIP archive behind `file`; offsets count from the file's beginning, or from the archive's.
void attach(std::vector<std::byte>& file, const std::vector<Attached>& members, bool from_archive = false);

std::vector<uint8_t> packed(const schema::ModelDescriptionT& description);

// The bytes are the model's metadata, whatever they are.
void add_metadata(ModelBuilder& builder, const std::vector<uint8_t>& metadata);

}  // namespace sightglass::test
