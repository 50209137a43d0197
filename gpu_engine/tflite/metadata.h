// Model metadata. Loading never fails because of it: errors become problems, for a warning.
#pragma once

#include "sightglass/model_metadata.h"
#include "tflite/model_file.h"

namespace sightglass::tflite {

ModelMetadata read_metadata(const ModelFile& file);

}  // namespace sightglass::tflite
