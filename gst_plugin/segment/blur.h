// Blurs the values that a shader computes from frame and mask. A pyramid of halvings comes first, then a Gaussian or a
// disc on its last level. The consumer enlarges the result smoothly.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gl/pass.h"
#include "segment/shaders.h"
#include "sightglass/gl_objects.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// How to make a blur of a given radius from a pyramid of halvings and a small kernel on its last level.

// In frame pixels. A fifth of the height of 8K, and the levels that it needs.
inline constexpr float kMaxBlurRadius = 1024;
inline constexpr int kMaxBlurLevels = 8;

// A Gaussian whose radius is two standard deviations.
struct BlurRecipe {
  static constexpr float kLeastRadius = 3;  // of one halving and the enlargement by themselves

  int levels = 1;
  float share = 1;   // of the blurred image in the result; below 1 for radii smaller than the pyramid can make
  float center = 1;  // weight of the central texel; 1: no Gaussian is needed
  std::array<float, 16> taps{};  // four times: distance in texels, weight per side, 0, 0

  // `radius` in frame pixels, 0 to kMaxBlurRadius.
  static BlurRecipe for_radius(float radius);
};

// A flat disc. Its standard deviation along an axis is half its radius, as that of the Gaussian.
struct DiscRecipe {
  using Taps = std::array<std::array<float, 4>, kDiscTaps>;

  int levels = 1;
  float share = 1;
  float center = 1;  // weight of the central texel
  int count = 0;     // of the taps
  // Offset x, y in texels, and weight. Each tap counts four times, rotated by quarter turns.
  Taps taps{};

  // `radius` in frame pixels, 0 to kMaxBlurRadius.
  static DiscRecipe for_radius(float radius);
};

class Blur {
 public:
  static Result<Blur> create(const std::shared_ptr<ShareGroup>& group);
  // The programs of create(), to be built together with others.
  static std::vector<ProgramKey> programs();

  // Allocates for frames of width × height pixels.
  Status resize(int32_t width, int32_t height);
  bool is_ready() const { return !levels_.empty(); }
  void release() { levels_.clear(); }
  // Blurs the values that `first`, one of pyramid_first_shader(), computes from the upright frame. Returns a texture
  // that the caller enlarges with a B-spline. The pass, whose sampler is linear, has what `first` reads: the frame, the
  // mask, refined or not, in kMaskUnit, and the blocks SegmentLook and Frame. Afterwards it reads other textures in
  // unit 0, and has other uniforms at kParamsBinding.
  TextureRef run(Pass& pass, const SharedProgram& first, const BlurRecipe& recipe) {
    begin(pass, first);
    return finish(pass, recipe);
  }
  // Blurs a texture with the size of resize().
  TextureRef run(Pass& pass, const GlTexture& source, const BlurRecipe& recipe) {
    pass.read(0, source.id());
    return run(pass, down_, recipe);
  }
  // The same in steps: the first halving; changes to it by programs that read unit 0 and write image unit 0; the rest.
  void begin(Pass& pass, const SharedProgram& first);
  void apply(Pass& pass, const SharedProgram& program);
  TextureRef finish(Pass& pass, const BlurRecipe& recipe);
  // As run(), with a disc. `first` computes light, premultiplied by the weight in A. The result is colors, with 1 in A.
  TextureRef run_disc(Pass& pass, const SharedProgram& first, const DiscRecipe& recipe);

 private:
  struct Level {
    GlTexture texture, scratch;
    int32_t width = 0, height = 0;
  };
  struct Gauss {
    std::array<float, 16> taps{};
    std::array<float, 4> axis{};
    bool operator==(const Gauss&) const = default;
  };
  struct Disc {
    DiscRecipe::Taps taps{};
    std::array<float, 4> center{};
    bool operator==(const Disc&) const = default;
  };
  Blur(const GlApi& gl, std::vector<SharedProgram> programs);
  // Runs the program for each texel of the level.
  static void store(Pass& pass, const SharedProgram& program, const Level& level, const GlTexture& target);
  // Halves until that many levels are done. Returns the last one.
  const Level& descend(Pass& pass, int levels);

  const GlApi* gl_;
  SharedProgram down_, gauss_, disc_;
  UniformBlock<Gauss> rows_, columns_;
  UniformBlock<Disc> disc_block_;
  std::vector<Level> levels_;
};

}  // namespace sightglass
