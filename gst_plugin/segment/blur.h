// The frame, blurred without its foreground: a pyramid of halvings, one small Gaussian, a smooth enlargement.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpu_engine/gl_objects.h"
#include "gpu_engine/status.h"
#include "gpu_engine/texture_ref.h"
#include "segment/matte.h"

namespace sightglass {

// How a blur of a given strength is made: so many halvings, then a Gaussian on the last level.
struct BlurRecipe {
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

  // `gl` must outlive the result.
  static Result<Blur> create(const GlApi& gl);

  // Allocates for frames of width × height pixels.
  Status resize(int32_t width, int32_t height);
  // Blurs `frame` and returns a texture with RGB premultiplied by the weight in A, to be enlarged by a B-spline.
  // Leaves a program in use and units 0 and 1 and image unit 0 bound.
  TextureRef run(const TextureRef& frame, const Matte& matte, const BlurRecipe& recipe, GLuint sampler) const;

 private:
  struct Level {
    GlTexture texture, scratch;
    int32_t width = 0, height = 0;
  };
  explicit Blur(const GlApi& gl) : gl_(&gl) {}
  void store(const Level& level, const GlTexture& target) const;

  const GlApi* gl_;
  GlProgram first_, down_, gauss_;
  std::vector<Level> levels_;
};

}  // namespace sightglass
