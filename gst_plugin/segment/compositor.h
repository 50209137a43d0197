// Frame, mask and background into one picture: a blur where one is asked for, then one draw at video resolution.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gl/draw_target.h"
#include "gl/uniform_block.h"
#include "gpu_engine/frame_ref.h"
#include "gpu_engine/gl_objects.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"
#include "gpu_engine/texture_ref.h"
#include "segment/blur.h"
#include "segment/edge_shaper.h"
#include "segment/foreground_colors.h"
#include "segment/mask_refiner.h"
#include "segment/matte.h"
#include "segment/picture.h"

namespace sightglass {

class TextureUnitGuard;

enum class Background : uint8_t { kBlur, kColor, kImage, kTransparent, kMask, kOverlay };

// What decides which pixels are foreground; without a mask that can be trusted, one answer for the whole frame.
enum class Coverage : uint8_t { kByMask, kAllBackground, kAllForeground };

// What may change from frame to frame.
struct Look {
  Background background = Background::kBlur;
  float blur_radius = 24;                     // pixels of the frame; 0 to Blur::kMaxRadius
  std::array<float, 4> color{0, 0.5F, 0, 1};  // R G B A in [0,1], not premultiplied
  float threshold = 0.5F;                     // probability at which foreground and background are even, [0,1]
  bool islands = true;                        // keeps uncertain foreground far from any that the model is sure of
  float smoothing = 0;                        // share of the previous mask, where it hardly differs, [0,1)
  bool motion = true;                         // moves the previous mask along with the image
  float softness = 0.5F;                      // width of the transition, as a difference of probabilities, [0,1]
  // Pixels of the frame that the edge is spread over: to either side or, negative, inwards; -kMaxFeather to
  // kMaxFeather.
  float feather = 0;
  float edge_offset = 0;         // pixels of the frame that the edge moves outwards; -kMaxEdgeOffset to kMaxEdgeOffset
  float light_wrap = 0;          // of a replaced background's light on the foreground's edges, [0,1]
  bool despill = true;           // composites a replaced background with the foreground's own colors
  bool premultiply = false;      // the colours of the result, by its alpha
  float overlay_opacity = 0.5F;  // of the classes' colours over the frame, [0,1]
  bool legend = true;            // with the classes' names
  float static_threshold = 0.02F;  // what a still picture may change by, [0,1]
  Coverage coverage = Coverage::kByMask;
};

inline constexpr float kMaxFeather = 64, kMaxEdgeOffset = 32;

// A part of the frame, in fractions: least and greatest place.
using PicturePlace = decltype(PictureView::place);

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
  // The background picture: dense RGBA of the frame's size, of which `place` is to be seen, and the colour round it. An
  // explicit upload.
  Status set_picture(std::span<const std::byte> rgba, const PicturePlace& place = {0, 0, 1, 1});
  // Where the model tells several classes apart: their numbers in G, for Background::kOverlay, which otherwise shows
  // the mask. The texture lies over the frame as masks do, and must live as long as it is drawn with.
  void set_classes(const TextureRef& classes) { classes_ = classes.id; }
  bool has_picture() const { return static_cast<bool>(picture_); }
  // A texture of another video that is shown behind the foreground, whatever else would be; no id: none. It must live
  // as long as it is drawn with.
  void set_video(const TextureRef& texture, PictureFit fit);

  // Draws into the RGBA texture `output`, which may be mutable, of the upright frame's size. `frame` is of the kind of
  // create(); `upright_to_stored` leads from the upright frame to where it lies in there, `mask_to_upright` from the
  // mask to the upright frame. A missing picture is replaced by the colour.
  Status draw(const FrameRef& frame, const InputTransform& upright_to_stored, const TextureRef& mask,
              const InputTransform& mask_to_upright, GLuint output, const Look& look);
  // Fills the same with opaque black: reads nothing, runs no program.
  Status draw_black(GLuint output) { return target_.fill_black(output); }

 private:
  // The shaders' block Look.
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
    float unused = 0;
    bool operator==(const Block&) const = default;
  };
  struct Programs {
    std::vector<SharedProgram> composites, feathered;  // by what lies behind (segment/shaders.h)
    std::vector<SharedProgram> firsts;                 // by what the pyramid begins with, less one
  };
  Compositor(const GlApi& gl, FrameKind kind, Refine refine, MaskRefiner refiner, Blur blur, EdgeShaper edge,
             ForegroundColors foreground, Programs programs);
  // What a look takes.
  struct Passes {
    int composite = 0;
    bool picture = false, blurs = false, wraps = false, tints = false, despills = false;
    EdgeShape edge;
    BlurRecipe recipe;  // of the blur or the light
  };
  // What lies behind, and its color.
  int choose_composite(const Look& look, Block& block) const;
  // Completes the block, whose matte is there.
  Passes choose_passes(const Look& look, Block& block) const;
  Status allocate(const Passes& passes, const TextureRef& mask);
  // Saves the texture units that GlStateGuard does not.
  void save_units(const Passes& passes, TextureUnitGuard& units) const;
  // Everything before the compositing pass; binds what that samples besides the frame.
  void run_passes(const Passes& passes, const FrameRef& frame);
  void unbind(const Passes& passes);
  // Binds to `unit` the texture that `pass` returns, which samples the frame.
  template <typename Pass>
  void run_pass(const char* what, const FrameRef& frame, GLuint unit, Pass pass);

  const GlApi* gl_;
  FrameKind kind_;
  Refine refine_;
  MaskRefiner refiner_;
  Blur blur_;
  EdgeShaper edge_;              // allocated when it is first asked for
  ForegroundColors foreground_;  // likewise
  Programs programs_;
  UniformBlock<Block> block_;
  UniformBlock<FrameBlock> frame_block_;
  GlVertexArray vertex_array_;  // without attributes; desktop GL draws nothing without one
  DrawTarget target_;
  GlSampler linear_, nearest_;
  GLuint classes_ = 0;
  GlTexture picture_;
  PictureView picture_view_;
  GLuint video_ = 0;
  PictureView video_view_;
  int32_t width_ = 0, height_ = 0;
};

}  // namespace sightglass
