// Recognizes models by the shapes of their inputs and outputs: copies and conversions of published models, whose files
// have other checksums.
#pragma once

#include <optional>

#include "known_models.h"
#include "sightglass/model.h"

namespace sightglass {

// `output` is the mask. A guess has no checksum (null). Empty for models that the defaults suit, such as those that
// take colors in [0,1] and have one or two output channels.
std::optional<KnownModel> guess_mask_model(const Model& model, size_t output);

}  // namespace sightglass
