// A blur of what a shader reads from frame and mask: a pyramid of halvings, one small Gaussian, a smooth enlargement.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gl/uniform_block.h"
#include "gpu_engine/gl_objects.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"
#include "gpu_engine/texture_ref.h"

namespace sightglass {

// How a blur of a given strength is made: so many halvings, then a Gaussian on the last level.
struct BlurRecipe {
  static constexpr float kLeastRadius = 3;  // what one halving and the enlargement make by themselves

  int levels = 1;
  float share = 1;   // of the blurred picture in the result; below 1 for radii smaller than the pyramid can give
  float centre = 1;  // weight of the Gaussian's centre; 1: no Gaussian is needed
  std::array<float, 16> taps{};  // four times: distance in texels, weight to each side, 0, 0

  // `radius` in pixels of the frame is two standard deviations; 0 to kMaxRadius.
  static BlurRecipe for_radius(float radius);
};

class Blur {
 public:
  static constexpr float kMaxRadius = 256;
  static constexpr int kMaxLevels = 6;

  static Result<Blur> create(const std::shared_ptr<ShareGroup>& group);

  // Allocates for frames of width × height pixels.
  Status resize(int32_t width, int32_t height);
  bool is_ready() const { return !levels_.empty(); }
  void release() { levels_.clear(); }
  // Blurs what `first`, one of pyramid_first_shader(), makes of the upright frame; returns a texture to be enlarged by
  // a B-spline. The frame is bound with linear samplers, unit 0 is active, the mask, refined or not, is in kMaskUnit,
  // what else `first` reads is bound, and so are the blocks Look and Frame. Leaves a program in use, and unit 0, image
  // unit 0 and the uniform binding kParamsBinding bound.
  TextureRef run(const SharedProgram& first, const BlurRecipe& recipe) {
    begin(first);
    return finish(recipe);
  }
  // The same of the texture in unit 0, of the size of resize().
  TextureRef run(const BlurRecipe& recipe) { return run(down_, recipe); }
  // The same in steps: the first halving, changes to it by programs that read unit 0 and write image unit 0, the rest.
  void begin(const SharedProgram& first);
  void apply(const SharedProgram& program);
  TextureRef finish(const BlurRecipe& recipe);

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
  Blur(const GlApi& gl, std::vector<SharedProgram> programs);
  void store(const Level& level, const GlTexture& target) const;

  const GlApi* gl_;
  SharedProgram down_, gauss_;
  UniformBlock<Gauss> rows_, columns_;
  std::vector<Level> levels_;
};

}  // namespace sightglass
