// Composites frame, mask and background: a blur if requested, then one draw at the frame size.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gl/frame_format.h"
#include "gl/pass.h"
#include "segment/blur.h"
#include "segment/edges.h"
#include "segment/grade.h"
#include "segment/look.h"
#include "segment/mask_refiner.h"
#include "segment/picture.h"
#include "segment/shaders.h"
#include "sightglass/frame_ref.h"
#include "sightglass/gl_objects.h"
#include "sightglass/input_transform.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// A part of the frame: minimum and maximum coordinates, in fractions.
using PicturePlace = decltype(PictureView::place);

// Every call leaves the GL state as sessions of the engine do (sightglass/session.h), and restores the viewport.
class Compositor {
 public:
  // Compiles the programs that the group does not have yet.
  static Result<Compositor> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind,
                                   Refine refine = Refine::kNone);
  // For frames that show only their background (Coverage::kAllBackground), without feather, edge offset and light wrap:
  // compiles only the programs of the looks that are prepared or drawn.
  static Result<Compositor> create_background(const std::shared_ptr<ShareGroup>& group, FrameKind kind);

  // Allocates for upright frames of width × height pixels. Discards the background image.
  Status resize(int32_t width, int32_t height, float pixel_aspect = 1);
  // Draws invisible frames, so that drivers finish compiling, and allocates for masks of this size and for upright
  // frames of width × height pixels, as resize() does. Other looks than `first` may compile programs later.
  Status warm_up(const TextureRef& mask, int32_t width, int32_t height, float pixel_aspect = 1,
                 const SegmentLook& first = {});
  // Compiles and allocates what the first frame with this look needs.
  Status prepare(const SegmentLook& look);
  // Uploads the background image: tightly packed RGBA of the frame size. It is visible in `place`, with the color
  // around it.
  Status set_picture(std::span<const std::byte> rgba, const PicturePlace& place = {0, 0, 1, 1});
  // Sets the texture with the class numbers of a model of several classes in G, for Background::kOverlay, which shows
  // the mask without it. The texture covers the frame as masks do, and must outlive the draws that use it.
  void set_classes(const TextureRef& classes) { classes_ = classes.id; }
  bool has_picture() const { return static_cast<bool>(picture_); }
  // Sets a texture of another video, with pixels of that aspect, that is shown behind the foreground in place of every
  // other background; ID 0: none. It must outlive the draws that use it.
  void set_video(const TextureRef& texture, float pixel_aspect, PictureFit fit);

  // Sets what is known of the noise in the frame of the mask, for the next draw(): the range of FramePair, and whether
  // G of the mask is that of MaskSmoother. Without it, the mask is refined as if frames had no noise.
  void set_noise(const BufferRange& noise, bool has_stillness) {
    noise_ = noise;
    has_stillness_ = has_stillness;
  }

  // The next frame is so much later than the previous one; below 0: unrelated to it.
  void pass_time(float seconds);
  // The next frame is from another scene. No GL call.
  void forget() { pass_time(-1); }

  // Draws into the RGBA texture `output`, which has the size of the upright frame and may be mutable. `frame` has the
  // kind given to create(). `upright_to_stored` maps coordinates of the upright frame to the stored one,
  // `mask_to_upright` those of the mask to the upright frame. The color replaces a missing image.
  Status draw(const FrameRef& frame, const InputTransform& upright_to_stored, const TextureRef& mask,
              const InputTransform& mask_to_upright, GLuint output, const SegmentLook& look);

 private:
  // The block SegmentLook of the shaders.
  struct Block {
    Matte::Block matte;
    std::array<float, 4> color{};
    PictureView picture{};
    float blur_share = 1;
    float premultiply = 0;
    std::array<float, 2> frame_texel{};
    float light_wrap = 0;
    float overlay_opacity = 0;
    float despill = 0;
    float guide_history = 0;
    float dither = 0;
    float unused = 0;
    std::array<float, 2> tile{};
    bool operator==(const Block&) const = default;
  };
  struct Programs {
    using List = std::vector<SharedProgram>;
    std::array<List, 2> composites, feathered;  // by background (segment/shaders.h), without and with graded colors
    std::array<List, 2> decided;                // of tiles that are all background, or all foreground
    SharedProgram sort_tiles;
    List firsts;  // by source of the pyramid, less one
  };
  // Without the optional parts and with empty programs, compile() builds them.
  struct Parts {
    MaskRefiner refiner;
    std::optional<Blur> blur;
    std::optional<EdgeShaper> edge;
    std::optional<ForegroundColors> foreground;
    Programs programs;
    std::optional<Grader> grader{};  // once they were wanted
    std::optional<Denoiser> denoiser{};
  };
  Compositor(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Refine refine, Parts parts);
  // The passes of a look.
  struct Passes {
    int composite = 0;
    bool refines = false, picture = false, blurs = false, wraps = false, tints = false, despills = false,
         grades = false, denoises = false, tiled = false;
    EdgeShape edge;
    BlurRecipe recipe;               // of the Gaussian blur or the light
    std::optional<DiscRecipe> disc;  // instead
  };
  SharedProgram& decided(int background, int tile) {
    return parts_.programs.decided[tile == kFrontTile ? 1 : 0][static_cast<size_t>(background)];
  }
  // Returns the composite program, and sets the color.
  int choose_composite(const SegmentLook& look, Block& block) const;
  // Completes the block, which has the matte.
  Passes choose_passes(const SegmentLook& look, Block& block) const;
  // Builds what the passes lack: after create_background(), or for graded colors.
  Status compile(const Passes& passes);
  SharedProgram& composite_of(const Passes& passes) {
    auto& lists = passes.edge.changes() ? parts_.programs.feathered : parts_.programs.composites;
    return lists[passes.grades ? 1 : 0][static_cast<size_t>(passes.composite)];
  }
  Status allocate(const Passes& passes, const TextureRef& mask);
  void release_parts();
  // Keeps the texture units that GlStateGuard does not.
  void keep_units(const Passes& passes, Pass& pass) const;
  // Draws the composite, whose textures the pass reads, into the target.
  Status draw_whole(const Passes& passes, Pass& pass, const TextureRef& target);
  Status draw_tiles(const Passes& passes, Pass& pass, const TextureRef& target);
  // Dispatches what comes before the composite. Afterwards, the pass reads the textures that the composite samples in
  // addition to the frame.
  void run_passes(const Passes& passes, const SegmentLook& look, Pass& pass, const FrameRef& frame);

  const GlApi* gl_;
  FrameKind kind_;
  Refine refine_;
  // `edge`, `foreground`, and `denoiser` are allocated when first requested.
  Parts parts_;
  std::shared_ptr<ShareGroup> group_;
  bool draws_edges_ = true;
  std::array<UniformBlock<Block>, 2> blocks_;  // without and with guide_history, which may change with each frame
  UniformBlock<FrameBlock> frame_block_;
  GlVertexArray vertex_array_;  // without attributes; desktop GL requires one
  DrawTarget target_;
  GlSampler linear_, nearest_;
  GLuint classes_ = 0;
  GlTexture tiles_;  // their kinds
  GlTexture picture_;
  PictureView picture_view_;
  GLuint video_ = 0;
  PictureView video_view_;
  BufferRange noise_;
  bool has_stillness_ = false;
  float seconds_ = 0;  // since the previous frame
  FrameSize size_;
};

}  // namespace sightglass
