// Where the upright frame is in the buffers of an element: by caps, orientation, and metadata.
#pragma once

#include <gst/video/video.h>

#include <optional>

#include "gl/frame_format.h"
#include "gl/orientation.h"
#include "sightglass/input_transform.h"

namespace sightglass {

class FramePlacement {
 public:
  // Without caps, only set_caps() may be called.
  bool has_caps() const { return input_.has_value(); }
  void forget_caps() { input_.reset(); }
  void set_caps(const FrameFormat& input, const GstVideoInfo& output) {
    input_ = input;
    output_ = output;
  }
  const FrameFormat& input() const { return *input_; }
  const GstVideoInfo& output() const { return output_; }
  FrameSize output_size() const {
    const auto aspect =
        static_cast<float>(GST_VIDEO_INFO_PAR_N(&output_)) / static_cast<float>(GST_VIDEO_INFO_PAR_D(&output_));
    return {GST_VIDEO_INFO_WIDTH(&output_), GST_VIDEO_INFO_HEIGHT(&output_), aspect};
  }

  // `own_size`: output frames have a size of the element's own, which fits every orientation. Otherwise the caps of the
  // output were negotiated for the frame's orientation.
  FrameSize upright_size(bool own_size) const;
  // The orientation of the next frame. One that does not fit the caps waits for new caps. Returns whether it changes.
  bool turn(Orientation wanted, bool own_size);
  // From the upright frame to the stored one.
  InputTransform upright_to_stored_in(GstBuffer* input) const;

 private:
  std::optional<FrameFormat> input_;
  GstVideoInfo output_{};
  Orientation orientation_ = Orientation::kIdentity;  // of the last frame
};

inline FrameSize FramePlacement::upright_size(bool own_size) const {
  if (!own_size) return output_size();
  if (swaps_axes(orientation_)) return {input_->height, input_->width, 1 / input_->pixel_aspect};
  return {input_->width, input_->height, input_->pixel_aspect};
}

inline bool FramePlacement::turn(Orientation wanted, bool own_size) {
  const auto fits = [this, own_size](Orientation orientation) {
    const bool swapped = swaps_axes(orientation);
    return own_size || ((swapped ? input_->height : input_->width) == GST_VIDEO_INFO_WIDTH(&output_) &&
                        (swapped ? input_->width : input_->height) == GST_VIDEO_INFO_HEIGHT(&output_));
  };
  return (fits(wanted) || !fits(orientation_)) && std::exchange(orientation_, wanted) != wanted;
}

inline InputTransform FramePlacement::upright_to_stored_in(GstBuffer* input) const {
  const CropRect seen = visible_part(input);
  return upright_to_stored(orientation_)
      .then(shown_to_stored(input))
      .then({{seen.width, 0, seen.x, 0, seen.height, seen.y}});
}

}  // namespace sightglass
