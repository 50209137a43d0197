// What the compositor computes at the edges of the foreground: their shape and their colors.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gl/pass.h"
#include "segment/blur.h"
#include "segment/mask_refiner.h"
#include "sightglass/frame_kind.h"
#include "sightglass/gl_objects.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// Opacity whose edge is moved and feathered, at half the frame's size.
// How an edge changes, in frame pixels: it is moved first, then blurred.
struct EdgeShape {
  float offset = 0;  // outwards
  float radius = 0;  // blur radius: two standard deviations

  // `feather` is the width on each side of the edge or, if negative, only on its inner side.
  static EdgeShape of(float feather, float edge_offset);
  bool changes() const { return offset != 0 || radius > 0; }
};

class EdgeShaper {
 public:
  // The programs of create() in addition to Blur::programs(), to be built together with others.
  static std::vector<ProgramKey> programs();
  static Result<EdgeShaper> create(const std::shared_ptr<ShareGroup>& group);

  // Allocates for upright frames of width × height pixels.
  Status resize(int32_t width, int32_t height) { return blur_.resize(width, height); }
  bool is_ready() const { return blur_.is_ready(); }
  void release() { blur_.release(); }
  // Shapes the opacity that `first` computes of the upright frame. Requirements and result are those of Blur::run().
  TextureRef run(Pass& pass, const SharedProgram& first, const EdgeShape& shape);

 private:
  // The uniform block of the shader.
  struct Shift {
    std::array<float, 4> radius_and_sign{};
    bool operator==(const Shift&) const = default;
  };
  EdgeShaper(const GlApi& gl, Blur blur, SharedProgram program)
      : blur_(std::move(blur)), program_(std::move(program)), shift_(gl) {}

  Blur blur_;
  SharedProgram program_;
  UniformBlock<Shift> shift_;
};

// Estimates the foreground colors at edges, where the frame mixes them with the background. A replaced background is
// composited with these colors, so that the old one leaves no rim. Blur fusion (Forte, Approximate Fast Foreground
// Colour Estimation, ICIP 2021); the formula is in shaders/segment/foreground.glsl.
class ForegroundColors {
 public:
  // The programs of create() in addition to Blur::programs(), to be built together with others.
  static std::vector<ProgramKey> programs(FrameKind kind, Refine refine);
  // For masks with that refinement.
  static Result<ForegroundColors> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Refine refine);

  // Allocates for upright frames of width × height pixels.
  Status resize(int32_t width, int32_t height);
  bool is_ready() const { return static_cast<bool>(front_); }
  void release();

  // Returns the foreground colors, to be upsampled with a B-spline, and leaves the blurred background colors in
  // kBehindColorsUnit. Both are premultiplied by a weight in A. Requirements and results for the pass are those of
  // Blur::run(), and it reads another texture in kFrontColorsUnit, too.
  TextureRef run(Pass& pass);

 private:
  ForegroundColors(const GlApi& gl, std::vector<SharedProgram> programs, Blur wide_front, Blur wide_behind)
      : gl_(&gl),
        programs_(std::move(programs)),
        wide_front_(std::move(wide_front)),
        wide_behind_(std::move(wide_behind)) {}

  const GlApi* gl_;
  std::vector<SharedProgram> programs_;  // split, foreground colors
  Blur wide_front_, wide_behind_;
  BlurRecipe recipe_;
  GlTexture front_, behind_, colors_;
  int32_t width_ = 0, height_ = 0;  // of these textures
};

}  // namespace sightglass
