// The model's mask into textures of one byte a pixel, for those who want it besides the picture.
#pragma once

#include <array>
#include <memory>

#include "gl/draw_target.h"
#include "gl/uniform_block.h"
#include "gpu_engine/gl_objects.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"
#include "gpu_engine/texture_ref.h"

namespace sightglass {

// All calls, the destructor included, need the context current. GL state is as found.
class MaskWriter {
 public:
  // Compiles what no other holder in the group has compiled yet, and draws once, so that drivers finish doing so.
  static Result<MaskWriter> create(const std::shared_ptr<ShareGroup>& group);

  // Draws into R8 textures of the mask's size: the probabilities, and the region of each pixel, 1 where its probability
  // is at least `threshold`, 0 elsewhere. `regions` may be 0: then nobody wants them.
  Status write(const TextureRef& mask, float threshold, GLuint probabilities, GLuint regions);

 private:
  MaskWriter(std::shared_ptr<ShareGroup> group, SharedProgram program);
  Status warm_up();

  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const GlApi* gl_;
  SharedProgram program_;
  UniformBlock<std::array<float, 4>> block_;
  GlVertexArray vertex_array_;
  DrawTarget target_;
  GlSampler sampler_;
};

}  // namespace sightglass
