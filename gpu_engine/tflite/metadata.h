// A model's metadata. Nothing in it can make a model fail to load: what is wrong becomes a problem to warn of.
#pragma once

#include "gpu_engine/metadata.h"
#include "tflite/model_file.h"

namespace sightglass::tflite {

ModelMetadata read_metadata(const ModelFile& file);

}  // namespace sightglass::tflite
