// Averages masks over time, but for what moves: shaders/segment/smooth.comp.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "gl/uniform_block.h"
#include "gpu_engine/gl_objects.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"
#include "gpu_engine/texture_ref.h"

namespace sightglass {

class MaskSmoother {
 public:
  // For the model's mask `mask`, a 2D texture that lives as long as this.
  static Result<MaskSmoother> create(const std::shared_ptr<ShareGroup>& group, const TextureRef& mask);

  // The mask with `share`, in [0,1), of what run() gave the last time, where both nearly agree: a texture of the mask's
  // size, probability in R, that lasts until the call after the next. GL state afterwards is as sessions leave it.
  TextureRef run(float share);
  // What comes next has nothing to do with what came before.
  void reset() { has_before_ = false; }

 private:
  struct Block {
    std::array<float, 4> share{};
    bool operator==(const Block&) const = default;
  };
  MaskSmoother(const GlApi& gl, SharedProgram program, const TextureRef& mask);

  const GlApi* gl_;
  SharedProgram program_;
  TextureRef mask_;
  std::array<GlTexture, 2> masks_;  // the one before and the next, in turn
  size_t next_ = 0;
  bool has_before_ = false;
  UniformBlock<Block> block_;
};

}  // namespace sightglass
