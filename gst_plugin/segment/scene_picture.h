// Gives the compositor the background image of the scene.
#pragma once

#include <cstdint>
#include <memory>

#include "gl/upright_frame.h"
#include "segment/segment_runtime.h"

namespace sightglass {

class ScenePicture {
 public:
  void forget() { uploaded_.reset(); }
  // Calls `set` with the image for frames of this size if image or size changed.
  template <typename F>
  Status update(const SegmentRuntime::Scene& scene, const FrameSize& size, F set) {
    const PictureFit fit = scene.settings.background_fit;
    if (scene.picture == nullptr || (scene.picture == uploaded_ && fit == fit_)) return {};
    uploaded_ = scene.picture;
    fit_ = fit;
    SIGHTGLASS_ASSIGN_OR_RETURN(const Picture::Scaled scaled,
                                uploaded_->scale(size.width, size.height, fit, size.pixel_aspect));
    return set(scaled.pixels, scaled.place);
  }

 private:
  std::shared_ptr<const Picture> uploaded_;
  PictureFit fit_ = PictureFit::kCover;
};

}  // namespace sightglass
