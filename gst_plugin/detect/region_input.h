// The input of a model that samples squares of the frame: a texture without the heads of people in other regions
// (shaders/detect/sample_region.comp). The model is planned for frames of FrameKind::kRgba.
#pragma once

#include <memory>

#include "detect/regions.h"
#include "gl/upright_frame.h"
#include "sightglass/frame_kind.h"
#include "sightglass/gl_objects.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// All calls, including the destructor, need the context current.
class RegionInput {
 public:
  enum class Of : uint8_t { kLook, kRegion };  // the input of the detector, or of the landmark model
  // Frames are of `kind`; width and height are those of the model input.
  static Result<RegionInput> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Of of, int32_t width,
                                    int32_t height);

  // Samples the square that Regions::look() or next() has selected, unless the flag says that the model does not run.
  void sample(const UprightFrame& frame, const RegionParams& params, Regions& regions);
  TextureRef texture() const { return {texture_.id(), GL_TEXTURE_2D, width_, height_}; }

 private:
  RegionInput(const GlApi& gl, SharedProgram program, Of of, int32_t width, int32_t height);

  const GlApi* gl_;
  SharedProgram program_;
  Of of_;
  int32_t width_, height_;
  GlTexture texture_;
  GlSampler linear_;
};

}  // namespace sightglass
