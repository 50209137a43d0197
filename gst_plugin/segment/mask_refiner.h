// Makes the mask follow the edges in the frame: the input of the model is much smaller than the frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gl/pass.h"
#include "sightglass/gl_objects.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// How the mask is enlarged to the frame size.
enum class Refine : uint8_t {
  kNone,       // smoothly, whatever the frame shows
  kBilateral,  // joint bilateral upsampling: a pixel follows neighbors of its color
  kGuided,     // guided filter: in each neighborhood, the mask is a linear function of color
};

class MaskRefiner {
 public:
  // The programs of create(), to be built together with others; kNone needs none. `kind` is that of the sampled frames.
  static std::vector<ProgramKey> programs(FrameKind kind, Refine refine);
  static Result<MaskRefiner> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Refine refine);

  // The size at which a mask of width × height pixels is refined: its own, or a multiple if that is coarse.
  struct Size {
    int32_t width = 0, height = 0;
    bool operator==(const Size&) const = default;
  };
  static Size size_for(int32_t width, int32_t height);

  // Allocates, unless it has textures of this size already.
  Status resize(const TextureRef& mask);
  // Returns the texture that the composite samples in place of the mask, in mask coordinates. Not for kNone. The pass,
  // whose sampler is linear, reads the frame and, in kMaskUnit, the mask, and has the blocks SegmentLook and Frame.
  // Afterwards it reads another texture in unit 0, and in kSurroundingsUnit what the composite samples there.
  // `noise` is that of FramePair; a range of no bytes: none.
  TextureRef run(Pass& pass, const BufferRange& noise);

 private:
  MaskRefiner(const GlApi& gl, Refine refine, std::vector<SharedProgram> programs);
  // The size of the texture of linear functions for a guide of that size.
  static Size functions_of(const Size& size);

  const GlApi* gl_;
  Refine refine_;
  std::vector<SharedProgram> programs_;  // guide, close fit, wide fit, mean, bounds
  GlBuffer no_noise_;
  std::array<GlTexture, 2> guides_;  // this one and the previous one, in turn
  size_t guide_ = 0;
  GlTexture surroundings_, fit_, trust_, mean_, mean_trust_, bounds_;  // the means first hold the close fit
  Size size_;
};

}  // namespace sightglass
