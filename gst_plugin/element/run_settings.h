// When the model runs, and which results a frame waits for: settings, their properties, and the choice of frames.
#pragma once

#include <cstdint>
#include <vector>

#include "element/model_settings.h"
#include "gobject/properties.h"

namespace sightglass {

// Settings of every element with a model: when the model runs and which result each frame shows.
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

// Decides which frames the model runs on: every Nth one, counted from its last run.
class Cadence {
 public:
  // The next frame is unrelated to the previous ones.
  void restart() { since_run_ = 0; }
  // Whether the model is due to run on the next frame. Always true for the first one.
  bool is_due(uint32_t interval) const { return since_run_ == 0 || since_run_ >= interval; }
  // Call once per frame, after is_due(). `ran`: a run began on this frame.
  void count(bool ran) {
    if (ran) {
      since_run_ = 1;
    } else if (since_run_ > 0) {
      ++since_run_;
    }
  }

 private:
  uint32_t since_run_ = 0;  // frames since the last run, including its own; 0: no run yet
};

// The properties that control when the model runs and which result each frame shows.
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
