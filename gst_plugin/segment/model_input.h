// What happens to a frame before the model: the previous mask is added, and still images are found.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gl/objects.h"
#include "results/readback.h"
#include "segment/mask_model.h"
#include "sightglass/frame_ref.h"
#include "sightglass/gl_objects.h"
#include "sightglass/input_transform.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// Writes the factor by which the model shrinks the frame, if it has such an input.
Status write_ratio(Session& session, const MaskModel& mask);

// The input of models whose fourth channel is the previous mask: colors and mask in one texture.
// All calls, including the destructor, need the context current. They leave GL state as sessions do.
class FeedbackInput {
 public:
  // For inputs of width × height pixels and frames of that kind. Compiles missing shader programs of the group, and
  // runs once, because some drivers finish compiling only then.
  static Result<FeedbackInput> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, int32_t width,
                                      int32_t height);

  // Fills it with the frame, mapped by `input_to_stored`, and the mask. `mask` is null if there is no previous one.
  void run(const FrameRef& frame, const InputTransform& input_to_stored, const TextureRef* mask);
  // The model input; the model reads the whole texture.
  FrameRef frame() const { return TextureRef{texture_.id(), GL_TEXTURE_2D, width_, height_}; }

 private:
  FeedbackInput(const GlApi& gl, FrameKind kind, int32_t width, int32_t height, SharedProgram program);

  const GlApi* gl_;
  FrameKind kind_;
  int32_t width_, height_;
  SharedProgram program_;
  UniformBlock<FrameBlock> block_;
  GlTexture texture_, no_mask_;
  GlSampler linear_;
};

// Detects on the GPU that the frame has not changed since the model last ran, so that it need not run again.
// All calls, including the destructor, need the context current. They leave GL state as sessions do.
class StillWatcher {
 public:
  // For model inputs of width × height pixels and frames of that kind. Compiles missing shader programs of the group,
  // and runs once, because some drivers finish compiling only then.
  static Result<std::unique_ptr<StillWatcher>> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind,
                                                      int32_t width, int32_t height);

  // Compares the model input, mapped by `input_to_stored`, with that at the time when the flag was last set. Returns
  // the flag for Session::run_if(). It is set if `force` is, or if the mean of a color channel in [0,1] over a block of
  // 4 x 4 model pixels differs by more than `threshold`.
  BufferRange watch(const FrameRef& frame, const InputTransform& input_to_stored, float threshold, bool force);

  // Number of flags that were not set so far. The CPU receives it some frames late.
  void ask_for_skipped();
  uint64_t skipped();

 private:
  struct Block {
    std::array<float, 4> still{};
    std::array<int32_t, 4> which{};
    bool operator==(const Block&) const = default;
  };
  StillWatcher(const GlApi& gl, int32_t width, int32_t height, std::vector<SharedProgram> programs);

  const GlApi* gl_;
  int32_t width_, height_;  // of the model input
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
