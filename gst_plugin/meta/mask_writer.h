// Writes the model's mask to textures with one byte per pixel, for use in addition to the frame.
#pragma once

#include <array>
#include <memory>

#include "gl/draw_target.h"
#include "gl/uniform_block.h"
#include "sightglass/gl_objects.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// All calls, including the destructor, need the context current and restore GL state.
class MaskWriter {
 public:
  // Compiles the programs that the share group does not have yet, and draws once, so that drivers finish compiling.
  static Result<MaskWriter> create(const std::shared_ptr<ShareGroup>& group);

  // Draws into R8 textures of the mask size: the probabilities, and the region of each pixel, 1 where its probability
  // is at least `threshold`, 0 elsewhere. If `regions` is 0, writes only the probabilities.
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
