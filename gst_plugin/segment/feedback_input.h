// The input of models whose fourth channel is the mask of the frame before: colours and mask in one texture.
#pragma once

#include <memory>

#include "gl/uniform_block.h"
#include "gpu_engine/frame_ref.h"
#include "gpu_engine/gl_objects.h"
#include "gpu_engine/input_transform.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"
#include "gpu_engine/texture_ref.h"

namespace sightglass {

// All calls, the destructor included, need the context current. GL state afterwards is as sessions leave it.
class FeedbackInput {
 public:
  // For inputs of width × height pixels and frames of that kind. Compiles what the group does not have yet, and runs
  // once, so that drivers finish doing so.
  static Result<FeedbackInput> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, int32_t width,
                                      int32_t height);

  // Fills it with the frame, whose place `input_to_stored` tells, and the mask; `mask` is null where there was none.
  void run(const FrameRef& frame, const InputTransform& input_to_stored, const TextureRef* mask);
  // What the model reads, whole.
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

}  // namespace sightglass
