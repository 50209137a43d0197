// Frame, mask and background into one picture: a blur where one is asked for, then one draw at video resolution.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu_engine/frame_ref.h"
#include "gpu_engine/gl_objects.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"
#include "gpu_engine/texture_ref.h"
#include "segment/blur.h"
#include "segment/mask_refiner.h"
#include "segment/matte.h"
#include "segment/uniform_block.h"

namespace sightglass {

enum class Background : uint8_t { kBlur, kColor, kImage, kTransparent, kMask };

// What may change from frame to frame.
struct Look {
  Background background = Background::kBlur;
  float blur_radius = 24;                     // pixels of the frame; 0 to Blur::kMaxRadius
  std::array<float, 4> color{0, 0.5F, 0, 1};  // R G B A in [0,1], not premultiplied
  float threshold = 0.5F;                     // probability at which foreground and background are even, [0,1]
  float smoothing = 0;                        // share of the mask before, where it hardly differs, [0,1)
  float softness = 0.5F;                      // width of the transition, as a difference of probabilities, [0,1]
};

// GL state after every call is as the engine's sessions leave it (gpu_engine/session.h); the viewport is as found.
class Compositor {
 public:
  // Compiles what no other holder in the group has compiled yet.
  static Result<Compositor> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind,
                                   Refine refine = Refine::kNone);

  // Allocates for upright frames of width × height pixels; forgets the picture.
  Status resize(int32_t width, int32_t height);
  // Draws a frame that nobody sees, so that drivers finish compiling and what masks of this size need is there; after
  // resize().
  Status warm_up(const TextureRef& mask);
  // The background picture: dense RGBA of the frame's size. An explicit upload.
  Status set_picture(std::span<const std::byte> rgba);
  bool has_picture() const { return static_cast<bool>(picture_); }

  // Draws into the RGBA texture `output`, which may be mutable, of the upright frame's size. `frame` is of the kind of
  // create(); `upright_to_stored` leads from the upright frame to where it lies in there, `mask_to_upright` from the
  // mask to the upright frame. A missing picture is replaced by the colour.
  Status draw(const FrameRef& frame, const InputTransform& upright_to_stored, const TextureRef& mask,
              const InputTransform& mask_to_upright, GLuint output, const Look& look);

 private:
  // The shaders' block Look.
  struct Block {
    Matte::Block matte;
    std::array<float, 4> color{};
    float blur_share = 1;
    float unused = 0;
    std::array<float, 2> frame_texel{};
    bool operator==(const Block&) const = default;
  };
  Compositor(const GlApi& gl, FrameKind kind, Refine refine, MaskRefiner refiner, Blur blur,
             std::vector<SharedProgram> programs);

  const GlApi* gl_;
  FrameKind kind_;
  Refine refine_;
  MaskRefiner refiner_;
  Blur blur_;
  std::vector<SharedProgram> programs_;  // by what lies behind (segment/shaders.h)
  UniformBlock<Block> block_;
  UniformBlock<FrameBlock> frame_block_;
  GlVertexArray vertex_array_;  // without attributes; desktop GL draws nothing without one
  GlFramebuffer framebuffer_;
  GlSampler linear_, nearest_;
  GlTexture picture_;
  int32_t width_ = 0, height_ = 0;
};

}  // namespace sightglass
