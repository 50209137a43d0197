// Where a detector has found something, as the place of another model's input: computed on the GPU, and never read
// back.
#pragma once

#include <memory>

#include "gl/uniform_block.h"
#include "gpu_engine/frame_ref.h"
#include "gpu_engine/session.h"
#include "gpu_engine/share_group.h"

namespace sightglass {

// All calls, the destructor included, need the context current.
class Region {
 public:
  static Result<std::unique_ptr<Region>> create(std::shared_ptr<ShareGroup> group);

  // From a buffer of Detections: the square round the best one's box, half as large again, its first two points level;
  // all of the frame where there is none. Width and height are those of the upright frame in pixels.
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
