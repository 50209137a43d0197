// glsegment before its model is ready: shows only the background of each frame, as on-failure=background does.
#pragma once

#include <memory>

#include "segment/segment_runtime.h"

namespace sightglass {

// `scene` must outlive it.
Result<std::unique_ptr<FrameProcessor>> make_background_processor(const GlTarget& target,
                                                                  const SegmentRuntime::Scene& scene);

}  // namespace sightglass
