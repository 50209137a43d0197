// Results on their way to applications: metadata of buffers, and messages on the bus.
#pragma once

#include <gst/gst.h>

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
  kLatest,  // what has arrived by then, of frames before it
  kExact,   // its own: the buffer is held until they are there
};

struct ResultsPolicy {
  ResultsMode mode = ResultsMode::kNone;
  ResultsSync sync = ResultsSync::kLatest;
  bool holds_frames() const { return wants_meta(mode) && sync == ResultsSync::kExact; }
};

// A frame that has been issued, as its way out needs to know it.
struct FrameTicket {
  uint64_t number = 0;            // FrameStamp::number
  int32_t width = 0, height = 0;  // of the picture that leaves, in pixels
  bool awaits_results = false;    // the model ran on it, and somebody asked for what it finds
};

// The times of a buffer in its segment.
FrameStamp frame_stamp(const GstBuffer* buffer, const GstSegment& segment, uint64_t number, int32_t width,
                       int32_t height);

// Attaches to `buffer`, which must be writable and shows an upright picture of width × height pixels:
//   - SightglassResultsMeta (results_meta.h),
//   - a GstVideoRegionOfInterestMeta for each object: its label as roi_type ("object" without one), the box clipped to
//     the picture, id as followed; with parameters "detection" (x_min, x_max, y_min, y_max in fractions, confidence,
//     label_id, model_name, timestamp) and, where it has any, "keypoints" (names, x, y, z, visibility, presence: arrays
//     of the same length, places in fractions),
//   - where the picture has classifications, one more of these, of all of the picture and with the roi_type
//     "classification": a parameter "classification" (label, label_id, confidence, model_name, timestamp) for each, the
//     best first,
//   - built with GStreamer 1.26 or later, a GstAnalyticsRelationMeta with a GstAnalyticsODMtd for each object, a
//     GstAnalyticsTrackingMtd related to it where it is followed, from 1.30 on its key points as a group, and a
//     GstAnalyticsClsMtd with the picture's classifications.
// False when something could not be added.
bool attach_results(GstBuffer* buffer, const SharedResults& results, int32_t width, int32_t height);

// Posts an element message with the structure "sightglass-results": timestamp, stream-time and running-time (guint64
// nanoseconds) and number (frame, guint64) of the frame, width, height, model, objects and classifications (lists of
// structures, with the fields of results_meta.h).
void post_results(GstElement* element, const InferenceResults& results);

}  // namespace sightglass
