// Delivers results to applications: as buffer metadata and bus messages.
#pragma once

#include <gst/gst.h>

#include <vector>

#include "gobject/properties.h"
#include "meta/inference_results.h"

namespace sightglass {

// How results are delivered; bits.
enum class ResultsMode : int { kNone = 0, kMeta = 1, kMessage = 2, kBoth = 3 };
inline bool wants_meta(ResultsMode mode) {
  return (static_cast<int>(mode) & static_cast<int>(ResultsMode::kMeta)) != 0;
}
inline bool wants_messages(ResultsMode mode) {
  return (static_cast<int>(mode) & static_cast<int>(ResultsMode::kMessage)) != 0;
}

// Which frame's results a buffer carries.
enum class ResultsSync : int {
  kLatest,  // results of earlier frames that have arrived by then
  kExact,   // its own results: the buffer is held until they arrive
};

struct ResultsPolicy {
  ResultsMode mode = ResultsMode::kNone;
  ResultsSync sync = ResultsSync::kLatest;
  bool holds_frames() const { return wants_meta(mode) && sync == ResultsSync::kExact; }
};

// The data about an issued frame that is needed to push it.
struct FrameTicket {
  uint64_t number = 0;            // FrameStamp::number
  int32_t width = 0, height = 0;  // of the output frame, in pixels
  bool awaits_results = false;    // the model ran on it, and its results were requested
};

// The times of a buffer in its segment.
FrameStamp frame_stamp(const GstBuffer* buffer, const GstSegment& segment, uint64_t number, int32_t width,
                       int32_t height);

// Attaches to `buffer`, which must be writable and shows an upright frame of width × height pixels:
//   - SightglassResultsMeta (results_meta.h),
//   - a GstVideoRegionOfInterestMeta for each object: its label as roi_type ("object" without one), the box clipped to
//     the frame, or the one that encloses a rotated box, the track ID as id; with the parameters "detection" (x_min,
//     x_max, y_min, y_max in fractions, confidence, label_id, model_name, timestamp, and "rotation" of a rotated box)
//     and, if it has any, "keypoints" (names, x, y, z, visibility, presence: arrays of equal length, coordinates in
//     fractions) and "classifications" (labels, confidences: arrays of equal length), and "vector" (values: an array),
//   - if the frame has classifications, another one that covers the whole frame with the roi_type "classification": a
//     parameter "classification" (label, label_id, confidence, model_name, timestamp) for each, best first,
//   - if built with GStreamer 1.26 or later, a GstAnalyticsRelationMeta with a GstAnalyticsODMtd for each object (an
//     oriented one for a rotated box), a
//     related GstAnalyticsTrackingMtd if it is tracked, its keypoints as a group (from 1.30), and a GstAnalyticsClsMtd
//     with the classifications of the frame.
// Returns false if one of them could not be added.
bool attach_results(GstBuffer* buffer, const SharedResults& results, int32_t width, int32_t height);

// Posts an element message with the structure "sightglass-results": timestamp, stream-time and running-time (guint64
// nanoseconds) and number (frame, guint64) of the frame, width, height, model, objects and classifications (lists of
// structures with the fields of results_meta.h).
void post_results(GstElement* element, const InferenceResults& results);

// The properties that control how an element reports results.
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
