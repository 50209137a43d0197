// How GStreamer says that pictures are not stored upright: tags, a property, and metadata of buffers.
#pragma once

#include <gst/video/video.h>

#include <optional>

#include "gpu_engine/input_transform.h"

namespace sightglass {

// Nothing for what is none of the eight (GST_VIDEO_ORIENTATION_AUTO, GST_VIDEO_ORIENTATION_CUSTOM).
std::optional<Orientation> to_orientation(GstVideoOrientationMethod method);

// What the stream's tags say. Tags of a stream go before those of its container.
class OrientationTags {
 public:
  // Takes a tag event's list; false when that says nothing about orientation.
  bool read(const GstTagList* tags);
  void forget() { stream_ = global_ = std::nullopt; }
  Orientation orientation() const { return stream_.value_or(global_.value_or(Orientation::kIdentity)); }

 private:
  std::optional<Orientation> stream_, global_;
};

// A copy of a tag event for frames that have been made upright; the caller owns it.
GstEvent* upright_tag_event(GstEvent* event);

// A navigation event about a place in an upright picture of width x height pixels, as one about the same place in the
// stored picture. Takes the event, and gives others back as they are.
GstEvent* stored_navigation_event(GstEvent* event, Orientation orientation, gint width, gint height);

// From a place in the picture as the buffer's GstVideoAffineTransformationMeta shows it to the same place in the stored
// one. Both are of one size. What the meta does beyond two dimensions is left out.
InputTransform shown_to_stored(GstBuffer* buffer);

}  // namespace sightglass
