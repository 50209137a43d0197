// Results in the formats of others: GStreamer analytics metadata, and the JSON of DL Streamer.
#pragma once

#include <gst/gst.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "meta/inference_results.h"
#include "sightglass/gst/results_meta.h"

namespace sightglass {

// Results as GStreamer analytics metadata, if GStreamer has it.

// In frame pixels, clipped to the frame.
struct PixelBox {
  int32_t x = 0, y = 0, width = 0, height = 0;
};
PixelBox pixel_box(const std::array<float, 4>& box, int32_t width, int32_t height);

// Adds the analytics metadata described at attach_results() (results/delivery.h). Returns true if this build has none.
bool add_analytics(GstBuffer* buffer, const InferenceResults& results, int32_t width, int32_t height);

// Results as JSON in the format of DL Streamer's gvametaconvert.
struct JsonStyle {
  int indent = -1;     // spaces; below 0: everything on one line
  std::string source;  // origin of the frames; empty: omitted
  std::string tags;    // JSON text that is inserted unchanged; empty: omitted
};

// Whether `text` is JSON.
bool is_json(const std::string& text);

// Returns one JSON object with the results of one or several models for a frame, which now has width × height pixels:
//   {"objects": [{"detection": {"bounding_box": {"x_max", "x_min", "y_max", "y_min"}, "confidence", "label",
//   "label_id"},
//                 "h", "w", "x", "y", "id", "region_id", "roi_type"}],
//    "resolution": {"height", "width"}, "source", "tags", "timestamp"}
// bounding_box is in fractions of the frame; x, y, w and h are in frame pixels; timestamp is the stream time of the
// frame that the results describe, in nanoseconds. "id" is present if the object is tracked, label and roi_type if it
// has a label. Classifications of the whole frame form another object: "x", "y", "w", "h", "region_id", and
// "classification": {"confidence", "label", "label_id", "model": {"name"}}, the best one.
//
// Extensions to gvametaconvert: "model": {"name"} in each detection; "rotation" if it is not 0, around the center of
// rotated boxes (YOLO OBB), which are then those before they are rotated; "keypoints": [{"name", "x", "y", "z",
// "visibility", "presence", "world": [x, y, z]}] for objects that have any ("name" and "world" if the model has them);
// "classifications": [{"label", "label_id", "confidence"}] for objects that have classes of their own; and for the
// frame "classifications" with all of them if there are several.
std::string results_json(std::span<const SightglassResults* const> results, int32_t width, int32_t height,
                         const JsonStyle& style);

}  // namespace sightglass
