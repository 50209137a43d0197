// The properties that control when the model runs and which result each frame shows.
#pragma once

#include <vector>

#include "element/model_settings.h"
#include "element/run_settings.h"
#include "gobject/properties.h"

namespace sightglass {

// `inference-interval`, `mask-sync` and `gpu-budget`.
template <typename S>
std::vector<Property<S>> run_properties(RunSettings S::*run) {
  return {
      row::number("inference-interval", "Inference interval", within(run, &RunSettings::inference_interval), 1,
                  kMostInferenceInterval, kLive,
                  "Run the model on every Nth frame; frames in between show the previous result"),
      row::choice("mask-sync", "Mask synchronization", within(run, &RunSettings::mask_sync), "GstGLModelMaskSync",
                  {{MaskSync::kExact, "Its own result; the frame waits for it", "exact"},
                   {MaskSync::kLatest, "The newest result; the model runs within gpu-budget", "latest"}},
                  kLive, "Which result each frame shows"),
      row::number("gpu-budget", "GPU budget", within(run, &RunSettings::gpu_budget_ns), 0, GST_SECOND, kLive,
                  "Maximum GPU time of the model per frame in nanoseconds with mask-sync=latest (0 = a whole run)")};
}

// `on-failure` of elements that draw results over the frame.
template <typename S>
std::vector<Property<S>> failure_properties(RunSettings S::*run) {
  return {row::choice("on-failure", "On failure", within(run, &RunSettings::on_failure), "GstGLModelOnFailure",
                      {{OnFailure::kBlack, "Black frame", "black"},
                       {OnFailure::kPass, "Frame without a result; black if drawing fails", "pass"},
                       {OnFailure::kError, "End the stream with an error", "error"}},
                      kLive, "What to show when the result of a frame cannot be computed while playing")};
}

}  // namespace sightglass
