// The properties by which an element says how it reports results.
#pragma once

#include <vector>

#include "gobject/properties.h"
#include "results/delivery.h"

namespace sightglass {

// `results` and `results-sync`, of the policy among the settings.
template <typename S>
std::vector<Property<S>> results_properties(ResultsPolicy S::*policy) {
  return {
      row::choice("results", "Results", within(policy, &ResultsPolicy::mode), "GstGLModelResults",
                  {{ResultsMode::kNone, "None; no readback", "none"},
                   {ResultsMode::kMeta, "Buffer metadata", "meta"},
                   {ResultsMode::kMessage, "Element messages on the bus", "message"},
                   {ResultsMode::kBoth, "Metadata and messages", "both"}},
                  kLive, "How to report results to applications"),
      row::choice("results-sync", "Results synchronization", within(policy, &ResultsPolicy::sync), "GstGLResultsSync",
                  {{ResultsSync::kLatest, "A frame before it: no buffer waits for results", "latest"},
                   {ResultsSync::kExact, "Its own: buffers are held until their results are there", "exact"}},
                  kLive, "Frame that the metadata of a buffer describe; exact adds latency of a frame or more")};
}

}  // namespace sightglass
