// Converts the box of a detector to the position of another model's input, on the GPU, without readback.
#pragma once

#include <memory>

#include "gl/uniform_block.h"
#include "gpu_engine/frame_ref.h"
#include "gpu_engine/session.h"
#include "gpu_engine/share_group.h"

namespace sightglass {

// All calls, including the destructor, need the context current.
class Region {
 public:
  static Result<std::unique_ptr<Region>> create(std::shared_ptr<ShareGroup> group);

  // Computes the region from a buffer of Detections: the square around the best box, enlarged by half, rotated so that
  // its first two points are level; the whole frame if there are none. `width` and `height` are the upright frame size
  // in pixels.
  void find(const BufferRange& detections, const FrameRef& frame, const InputTransform& upright_to_stored,
            int32_t width, int32_t height);
  // For Session::set_input_frame().
  GLuint place() const { return place_.id(); }
  // Region of shaders/infer/region.comp.
  BufferRange rows() const { return {rows_.id(), 0, kRowsBytes}; }

 private:
  static constexpr GLsizeiptr kRowsBytes = 48;
  struct Block {  // Params of region.comp
    FrameBlock frame;
    std::array<float, 4> picture{};
    bool operator==(const Block&) const = default;
  };
  Region(std::shared_ptr<ShareGroup> group, SharedProgram program);

  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  SharedProgram program_;
  UniformBlock<Block> block_;
  GlBuffer place_, rows_;
};

}  // namespace sightglass
