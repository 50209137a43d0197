// Builds valid and invalid metadata for test models: the TensorFlow Lite description, and with zip_builder.h the
// archive of attached files. Include it as "metadata_builder.h".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model_builder.h"
#include "tflite/metadata_generated.h"
#include "zip_builder.h"

namespace sightglass::test {

std::vector<uint8_t> packed(const schema::ModelDescriptionT& description);

// Sets the bytes as the metadata of the model, whatever they are.
void add_metadata(ModelBuilder& builder, const std::vector<uint8_t>& metadata);

}  // namespace sightglass::test
