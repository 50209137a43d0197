// The properties that control how an element reports results.
#pragma once

#include <vector>

#include "gobject/properties.h"
#include "results/delivery.h"

namespace sightglass {

// `results` and `results-sync`, stored in the `policy` member of the settings.
template <typename S>
std::vector<Property<S>> results_properties(ResultsPolicy S::*policy) {
  return {
      row::choice("results", "Results", within(policy, &ResultsPolicy::mode), "GstGLModelResults",
                  {{ResultsMode::kNone, "No results, no readback", "none"},
                   {ResultsMode::kMeta, "Buffer metadata", "meta"},
                   {ResultsMode::kMessage, "Element messages on the bus", "message"},
                   {ResultsMode::kBoth, "Metadata and messages", "both"}},
                  kLive, "How to report results to the application"),
      row::choice("results-sync", "Results synchronization", within(policy, &ResultsPolicy::sync), "GstGLResultsSync",
                  {{ResultsSync::kLatest, "Results of an earlier frame, without waiting", "latest"},
                   {ResultsSync::kExact, "Results of the same frame; buffers wait for them", "exact"}},
                  kLive, "Which results a buffer carries as metadata; exact adds at least one frame of latency")};
}

}  // namespace sightglass
