// How GStreamer signals that frames are not stored upright: tags, a property, and buffer metadata.
#pragma once

#include <gst/video/video.h>

#include <optional>

#include "sightglass/input_transform.h"

namespace sightglass {

// Nothing for methods other than the eight orientations (GST_VIDEO_ORIENTATION_AUTO, GST_VIDEO_ORIENTATION_CUSTOM).
std::optional<Orientation> to_orientation(GstVideoOrientationMethod method);

// Orientation from the stream's tags. Stream tags take precedence over container (global) tags.
class OrientationTags {
 public:
  // Reads the list of a tag event; returns false if it has no orientation.
  bool read(const GstTagList* tags);
  void forget() { stream_ = global_ = std::nullopt; }
  Orientation orientation() const { return stream_.value_or(global_.value_or(Orientation::kIdentity)); }

 private:
  std::optional<Orientation> stream_, global_;
};

// A copy of a tag event for frames that were made upright; the caller owns it.
GstEvent* upright_tag_event(GstEvent* event);

// Maps the coordinates of a navigation event in an upright frame of width x height pixels back to the stored frame.
// Takes ownership of the event; returns other events unchanged.
GstEvent* stored_navigation_event(GstEvent* event, Orientation orientation, gint width, gint height);

// Maps coordinates in the frame as transformed by the buffer's GstVideoAffineTransformationMeta to the stored frame.
// Both have the same size. Ignores transforms beyond two dimensions.
InputTransform shown_to_stored(GstBuffer* buffer);

}  // namespace sightglass
