#include "element/frame_placement.h"

#include <utility>

namespace sightglass {

FrameSize FramePlacement::upright_size(bool own_size) const {
  if (!own_size) {
    const auto aspect =
        static_cast<float>(GST_VIDEO_INFO_PAR_N(&output_)) / static_cast<float>(GST_VIDEO_INFO_PAR_D(&output_));
    return {GST_VIDEO_INFO_WIDTH(&output_), GST_VIDEO_INFO_HEIGHT(&output_), aspect};
  }
  if (swaps_axes(orientation_)) return {input_->height, input_->width, 1 / input_->pixel_aspect};
  return {input_->width, input_->height, input_->pixel_aspect};
}

bool FramePlacement::turn(Orientation wanted, bool own_size) {
  const auto fits = [this, own_size](Orientation orientation) {
    const bool swapped = swaps_axes(orientation);
    return own_size || ((swapped ? input_->height : input_->width) == GST_VIDEO_INFO_WIDTH(&output_) &&
                        (swapped ? input_->width : input_->height) == GST_VIDEO_INFO_HEIGHT(&output_));
  };
  return (fits(wanted) || !fits(orientation_)) && std::exchange(orientation_, wanted) != wanted;
}

InputTransform FramePlacement::upright_to_stored_in(GstBuffer* input) const {
  const CropRect seen = visible_part(input);
  return upright_to_stored(orientation_)
      .then(shown_to_stored(input))
      .then({{seen.width, 0, seen.x, 0, seen.height, seen.y}});
}

}  // namespace sightglass
