// Draws people as skeletons from a buffer of Persons: shaders/pose/skeleton.comp converts them to lines and discs for
// OverlayPainter.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "draw/overlay_painter.h"
#include "gl/uniform_block.h"
#include "meta/skeletons.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

struct SkeletonStyle {
  float line_width = 4, point_radius = 5;       // frame pixels; 0: not drawn
  std::array<float, 4> line_color{0, 1, 0, 1};  // R G B A in [0,1], not premultiplied
  std::array<float, 4> point_color{1, 1, 1, 1};
  float visibility = 0.3F, presence = 0.3F;  // minimum of a point; a bone needs both of its points
};

// All calls, including the destructor, need the context current. They restore GL state except bindings used by the
// engine's sessions (sightglass/session.h), which they unbind.
class SkeletonPainter {
 public:
  // `skeleton` must outlive this.
  static Result<std::unique_ptr<SkeletonPainter>> create(const std::shared_ptr<ShareGroup>& group,
                                                         const Skeleton& skeleton);
  // Draws a buffer of Persons over `picture`, the upright frame.
  Status draw(const BufferRange& persons, const TextureRef& picture, int32_t shown_width, const SkeletonStyle& style);

 private:
  static constexpr size_t kBones = 40;
  struct Block {  // Style of the shader
    std::array<float, 4> line_color{}, point_color{}, sizes{}, thresholds{};
    std::array<int32_t, 4> counts{};
    std::array<int32_t, 2 * kBones> bones{};
    bool operator==(const Block&) const = default;
  };
  SkeletonPainter(std::shared_ptr<ShareGroup> group, const Skeleton& skeleton, SharedProgram program,
                  std::unique_ptr<OverlayPainter> painter);

  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const Skeleton& skeleton_;
  SharedProgram program_;
  std::unique_ptr<OverlayPainter> painter_;
  PrimitiveBuffer primitives_;
  UniformBlock<Block> block_;
};

}  // namespace sightglass
