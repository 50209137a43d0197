// The frame of another video that is shown behind a frame's foreground, as what draws the frame has it.
#pragma once

#include <optional>

#include "gl/gl_bridge.h"
#include "meta/background_meta.h"

namespace sightglass {

// From its construction on, on the GL thread, until the frame has been drawn.
class BackgroundFrame {
 public:
  // What `input` carries. `context` is the current one.
  BackgroundFrame(GstBuffer* input, GstGLContext* context);

  // Why what is there cannot be shown.
  const Status& status() const { return status_; }
  // Nothing, where the frame carries none.
  TextureRef texture() const { return mapped_ ? mapped_->texture() : TextureRef(); }

 private:
  Status status_;
  std::optional<MappedTexture> mapped_;
};

}  // namespace sightglass
