// Properties of glsegment whose default depends on the model.
#pragma once

#include "known_models.h"
#include "segment/mask_refiner.h"

namespace sightglass {

// As Look and SegmenterOptions have them. The initial values are those for unknown models.
struct MatteDefaults {
  Refine refine = Refine::kNone;
  bool islands = true;
  float smoothing = 0;
  float softness = 0.5F;

  static MatteDefaults of(const MaskDefaults& known);
};

}  // namespace sightglass
