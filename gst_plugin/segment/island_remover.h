// Removes uncertain foreground that is far from every region that the model is sure of.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gl/uniform_block.h"
#include "sightglass/gl_objects.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

class IslandRemover {
 public:
  // For the mask `mask` of the model: a 2D texture with the probability in R, which outlives this object.
  static Result<IslandRemover> create(const std::shared_ptr<ShareGroup>& group, const TextureRef& mask);

  // Returns the mask without islands, in a texture of the same size that is valid until the next call. Every step
  // depends continuously on the mask, so that nothing switches from frame to frame. Leaves GL state as sessions do.
  TextureRef run();

 private:
  // The block of the shader.
  struct Reach {
    std::array<float, 4> step_and_reach{};
    bool operator==(const Reach&) const = default;
  };
  IslandRemover(const GlApi& gl, std::vector<SharedProgram> programs, const TextureRef& mask);

  const GlApi* gl_;
  std::vector<SharedProgram> programs_;  // core, reach, keep
  TextureRef mask_;
  int32_t cells_x_, cells_y_;
  float reach_;  // in cells
  std::array<GlTexture, 2> cells_;
  GlTexture kept_;
  GlSampler linear_;
  std::array<UniformBlock<Reach>, 2> blocks_;
};

}  // namespace sightglass
