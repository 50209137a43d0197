// Notices, on the GPU, that the picture is what it was when the model last ran: then it need not run again.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gl/uniform_block.h"
#include "gpu_engine/frame_ref.h"
#include "gpu_engine/gl_objects.h"
#include "gpu_engine/input_transform.h"
#include "gpu_engine/session.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"
#include "results/buffer_readback.h"

namespace sightglass {

// All calls, the destructor included, need the context current. GL state afterwards is as sessions leave it.
class StillWatcher {
 public:
  // For models that take width × height pixels of frames of that kind. Compiles what the group does not have yet, and
  // runs once, so that drivers finish doing so.
  static Result<std::unique_ptr<StillWatcher>> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind,
                                                      int32_t width, int32_t height);

  // Compares what the model would see of the frame, whose place `input_to_stored` tells, with what it saw when the flag
  // was last set, and gives the flag for Session::run_if(): set where some colour's mean, in [0,1], over a block of 4 x
  // 4 of the model's pixels differs by more than `threshold`, or `force` is.
  BufferRange watch(const FrameRef& frame, const InputTransform& input_to_stored, float threshold, bool force);

  // How many flags were not set so far, as known to the CPU: it gets to know some frames after it asked.
  void ask_for_skipped();
  uint64_t skipped();

 private:
  struct Block {
    std::array<float, 4> still{};
    std::array<int32_t, 4> which{};
    bool operator==(const Block&) const = default;
  };
  StillWatcher(const GlApi& gl, FrameKind kind, int32_t width, int32_t height, std::vector<SharedProgram> programs);
  void dispatch(const SharedProgram& program, const GlTexture& read, const GlTexture& written);

  const GlApi* gl_;
  FrameKind kind_;
  int32_t width_, height_;  // of the model's picture
  int32_t blocks_x_, blocks_y_;
  std::vector<SharedProgram> programs_;  // watch, keep
  std::array<UniformBlock<Block>, 2> blocks_;
  UniformBlock<FrameBlock> frame_block_;
  GlTexture now_, before_;
  GlBuffer flags_;
  GlSampler linear_;
  BufferReadback reader_;
  size_t which_ = 0;
  uint64_t skipped_ = 0;
  uint32_t last_reading_ = 0;
};

}  // namespace sightglass
