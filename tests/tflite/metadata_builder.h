// Builds valid and invalid metadata for test models: the TensorFlow Lite description, and the archive of attached
// files. Include it as "metadata_builder.h".
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

// A ZIP archive after `file`. Offsets count from the start of the file or of the archive.
void attach(std::vector<std::byte>& file, const std::vector<Attached>& members, bool from_archive = false);

std::vector<uint8_t> packed(const schema::ModelDescriptionT& description);

// Sets the bytes as the metadata of the model, whatever they are.
void add_metadata(ModelBuilder& builder, const std::vector<uint8_t>& metadata);

}  // namespace sightglass::test
