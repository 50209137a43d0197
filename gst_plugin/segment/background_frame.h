// The frame of the background video that belongs to a frame, mapped for drawing.
#pragma once

#include <optional>

#include "gl/gl_bridge.h"
#include "meta/background_meta.h"

namespace sightglass {

// Construct it on the GL thread, and keep it until the frame has been drawn.
class BackgroundFrame {
 public:
  // The background frame that is attached to `input`. `context` must be current.
  BackgroundFrame(GstBuffer* input, GstGLContext* context);

  // Why the attached frame cannot be shown.
  const Status& status() const { return status_; }
  // Empty if none is attached.
  TextureRef texture() const { return mapped_ ? mapped_->texture() : TextureRef(); }
  // The width of a pixel by its height.
  float pixel_aspect() const { return pixel_aspect_; }

 private:
  Status status_;
  std::optional<MappedTexture> mapped_;
  float pixel_aspect_ = 1;
};

}  // namespace sightglass
