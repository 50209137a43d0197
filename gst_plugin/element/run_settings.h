// Settings of every element with a model: when the model runs and which result each frame shows.
#pragma once

#include <cstdint>

namespace sightglass {

// Whether a frame waits for its own result or is drawn with the newest one.
enum class MaskSync : uint8_t { kExact, kLatest };

// What to show when a frame's result could not be computed or drawn. Only glsegment has the last value: controllers
// require property values without gaps from 0, listed in this order.
enum class OnFailure : uint8_t {
  kBlack,
  kPass,        // the frame without a result; glsegment: the whole frame as foreground
  kError,       // nothing: the stream ends
  kBackground,  // the whole frame as background; black if drawing fails
};

struct RunSettings {
  uint32_t inference_interval = 1;  // frames between the starts of model runs, at least 1
  MaskSync mask_sync = MaskSync::kExact;
  uint64_t gpu_budget_ns = 5'000'000;  // GPU time of the model per frame with kLatest; 0: no limit
  OnFailure on_failure = OnFailure::kError;
};

}  // namespace sightglass
