// The input of models whose fourth channel is the previous mask: colors and mask in one texture.
#pragma once

#include <memory>

#include "gl/uniform_block.h"
#include "sightglass/frame_ref.h"
#include "sightglass/gl_objects.h"
#include "sightglass/input_transform.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

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

}  // namespace sightglass
