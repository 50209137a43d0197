// The properties by which an element that shows results over the frame says how frames and runs of its model meet.
#pragma once

#include <vector>

#include "base/run_settings.h"
#include "gobject/properties.h"

namespace sightglass {

// `mask-sync`, `gpu-budget` and `on-failure`, of those members of the settings.
template <typename S>
std::vector<Property<S>> run_properties(MaskSync S::*mask_sync, uint64_t S::*gpu_budget_ns, OnFailure S::*on_failure) {
  return {
      row::choice("mask-sync", "Mask synchronization", mask_sync, "GstGLModelMaskSync",
                  {{MaskSync::kExact, "Frames wait for their own result", "exact"},
                   {MaskSync::kLatest, "Frames use the newest result; the model runs within gpu-budget", "latest"}},
                  kLive, "Whether frames wait for their own result"),
      row::number("gpu-budget", "GPU budget", gpu_budget_ns, 0, GST_SECOND, kLive,
                  "GPU time in nanoseconds that the model may take per frame with mask-sync=latest (0 = a whole run)"),
      row::choice("on-failure", "On failure", on_failure, "GstGLModelOnFailure",
                  {{OnFailure::kBlack, "Black frame", "black"},
                   {OnFailure::kPass, "Frame without a result, or black if drawing fails", "pass"},
                   {OnFailure::kError, "End the stream with an error", "error"}},
                  kLive, "What to show of frames whose result cannot be computed while playing")};
}

}  // namespace sightglass
