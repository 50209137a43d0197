// Makes the mask follow the frame's own edges: the model sees a small picture, people look at a large one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu_engine/gl_objects.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"
#include "gpu_engine/texture_ref.h"

namespace sightglass {

// How the mask is enlarged to the frame's size.
enum class Refine : uint8_t {
  kNone,       // smoothly, without a look at the frame
  kBilateral,  // joint bilateral upsampling: a pixel follows neighbours of its colour
  kGuided,     // guided filter: round each place, the mask is a linear function of colour
};

class MaskRefiner {
 public:
  // What kNone needs is nothing. Fragments of frames of that kind are sampled.
  static Result<MaskRefiner> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Refine refine);

  // The size at which a mask of width × height pixels is refined: its own, or a multiple where that is coarse.
  struct Size {
    int32_t width = 0, height = 0;
    bool operator==(const Size&) const = default;
  };
  static Size size_for(int32_t width, int32_t height);

  // Allocates, unless it has the right textures from the call before.
  Status resize(const TextureRef& mask);
  // Makes what the composite samples in the mask's stead, in the mask's coordinates. Not for kNone. The frame and the
  // mask, in unit 1, are bound with linear samplers, and so are the blocks Look and Frame. Leaves a program in use, and
  // bound: the image units 0 and 1, the texture of unit 0, and, with the sampler `linear`, kSurroundingsUnit.
  TextureRef run(GLuint linear);

 private:
  MaskRefiner(const GlApi& gl, Refine refine, std::vector<SharedProgram> programs)
      : gl_(&gl), refine_(refine), programs_(std::move(programs)) {}
  void dispatch(const SharedProgram& program, const GlTexture& target, GLenum format) const;

  const GlApi* gl_;
  Refine refine_;
  std::vector<SharedProgram> programs_;  // guide, fit, mean
  GlTexture guide_, surroundings_, fit_, mean_;
  Size size_;
};

}  // namespace sightglass
