// Models that are known by the look of their inputs and outputs: copies and conversions of published ones, whose files
// have other checksums.
#pragma once

#include <optional>

#include "gpu_engine/model.h"
#include "known_models.h"

namespace sightglass {

// `output` is the mask. A guess has no checksum (null). Nothing for models that defaults suit, as those that take
// colours in [0,1] and give one or two channels.
std::optional<KnownModel> guess_mask_model(const Model& model, size_t output);

}  // namespace sightglass
