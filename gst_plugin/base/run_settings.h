// How frames and runs of the model meet, in every element that runs one.
#pragma once

#include <cstdint>

namespace sightglass {

// Whether a frame waits for its own result, or is drawn with the newest one.
enum class MaskSync : uint8_t { kExact, kLatest };

// What to show of a frame whose result could not be computed or drawn. Only glsegment has the last one: controllers
// need the values of a property from 0 on without gaps, listed in this order.
enum class OnFailure : uint8_t {
  kBlack,
  kPass,        // the frame without a result; glsegment: the whole frame as foreground
  kError,       // nothing: the stream ends
  kBackground,  // the whole frame as background; black if that cannot be drawn either
};

struct RunSettings {
  uint32_t inference_interval = 1;  // frames from one run of the model to the next, at least 1
  MaskSync mask_sync = MaskSync::kExact;
  uint64_t gpu_budget_ns = 5'000'000;  // of the model per frame with kLatest; 0: no limit
  OnFailure on_failure = OnFailure::kError;
};

}  // namespace sightglass
