// What glsegment composites with: a loaded model, or masks that frames carry.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "element/loaded_model.h"
#include "segment/mask_pad.h"
#include "segment/settings.h"

namespace sightglass {

class LoadedMasks : public LoadedModel {
 public:
  // Size of the next masks, if known.
  virtual std::optional<MaskSize> mask_size() const { return {}; }
};

Result<std::shared_ptr<const LoadedModel>> load_mask_model(const std::string& file,
                                                           std::shared_ptr<const SegmentSettings> settings);
std::shared_ptr<const LoadedModel> use_attached_masks(const SegmentSettings& settings);

}  // namespace sightglass
