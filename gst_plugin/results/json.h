// Results as JSON, in the shape that DL Streamer's gvametaconvert gives it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "meta/results_meta.h"

namespace sightglass {

struct JsonStyle {
  int indent = -1;     // spaces; below 0: all on one line
  std::string source;  // where the pictures come from; empty: is left out
  std::string tags;    // a JSON text that is put in as it is; empty: is left out
};

// Whether `text` is JSON.
bool is_json(const std::string& text);

// One object, of what was found in one frame by one model or several; pictures have width × height pixels now:
//   {"objects": [{"detection": {"bounding_box": {"x_max", "x_min", "y_max", "y_min"}, "confidence", "label",
//   "label_id"},
//                 "h", "w", "x", "y", "id", "region_id", "roi_type"}],
//    "resolution": {"height", "width"}, "source", "tags", "timestamp"}
// bounding_box is in fractions of the picture, x, y, w and h in its pixels; timestamp is the stream time, in
// nanoseconds, of the frame that it was found in. "id" is there where the object is
// followed, label and roi_type where it has a name. Classifications of the whole picture are one object more: "x", "y",
// "w", "h", "region_id", and "classification":
// {"confidence", "label", "label_id", "model": {"name"}}, the best one. Beyond what gvametaconvert knows there are
// "model": {"name"} in each detection, "rotation" where it is not 0, "keypoints": [{"name", "x", "y", "z",
// "visibility", "presence", "world": [x, y, z]}] of objects that have some ("name" and "world" where the model has
// them), and "classifications", all of them, where there are several.
std::string results_json(std::span<const SightglassResults* const> results, int32_t width, int32_t height,
                         const JsonStyle& style);

}  // namespace sightglass
