// Copies frames from textures of other elements to the planes of a frame that leaves GL, in a render pass.
#pragma once

#include <gst/video/video.h>

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "gl/draw_target.h"
#include "gl/uniform_block.h"
#include "sightglass/gl_objects.h"
#include "sightglass/share_group.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// All calls are on the GL thread.
class PlanePainter {
 public:
  // For frames of `info`: NV12, or RGB formats of one plane.
  static Result<std::unique_ptr<PlanePainter>> create(const std::shared_ptr<ShareGroup>& group,
                                                      const GstVideoInfo& info);

  // Draws the region of the texture `frame` that begins at pixel `x`, `y` and has the frame size, into one texture, or
  // into a Y' texture and a CbCr texture. Restores bindings.
  Status draw(const TextureRef& frame, std::span<const TextureRef> planes, int32_t x = 0, int32_t y = 0);

 private:
  struct Coding {
    std::array<float, 12> rows{};
    std::array<float, 4> across{}, down{}, part{};
    bool operator==(const Coding&) const = default;
  };
  PlanePainter(const GlApi& gl, const GstVideoInfo& info, std::vector<SharedProgram> programs);

  const GlApi* gl_;
  std::vector<SharedProgram> programs_;  // one for each plane
  Coding coding_;
  UniformBlock<Coding> block_;
  GlVertexArray vertex_array_;
  DrawTarget target_;
  GlSampler nearest_;
};

}  // namespace sightglass
