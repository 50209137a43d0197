// glsegment without a model: composites frames with the masks that an upstream element attached (mask_meta.h).
#pragma once

#include <memory>

#include "segment/segment_runtime.h"

namespace sightglass {

// `scene` must outlive it.
Result<std::unique_ptr<FrameProcessor>> make_meta_mask_processor(const GlTarget& target,
                                                                 const SegmentSettings& settings,
                                                                 const SegmentRuntime::Scene& scene);

}  // namespace sightglass
