#include "segment/edge_shaper.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gl/compute.h"
#include "gl/pass.h"
#include "segment/shaders.h"

namespace sightglass {

EdgeShape EdgeShape::of(float feather, float edge_offset) {
  if (feather >= 0) return {edge_offset, feather};
  // The blur is centered in the strip that it fills. At half the frame size, it cannot be narrower.
  const float radius = std::max(-0.5F * feather, BlurRecipe::kLeastRadius);
  return {edge_offset - radius, radius};
}

std::vector<ProgramKey> EdgeShaper::programs() { return {{kShiftEdgeShader}}; }

Result<EdgeShaper> EdgeShaper::create(const std::shared_ptr<ShareGroup>& group) {
  SIGHTGLASS_ASSIGN_OR_RETURN(Blur blur, Blur::create(group));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(EdgeShaper::programs()));
  return EdgeShaper(group->gl(), std::move(blur), std::move(programs[0]));
}

TextureRef EdgeShaper::run(Pass& pass, const SharedProgram& first, const EdgeShape& shape) {
  blur_.begin(pass, first);
  const float texels = 0.5F * std::abs(shape.offset);
  constexpr float kMostTexels = 4;  // per pass
  const float passes = std::ceil(texels / kMostTexels);
  if (passes > 0) pass.uniforms(kParamsBinding, shift_, {{texels / passes, shape.offset > 0 ? 1.0F : -1.0F}});
  for (float i = 0; i < passes; ++i) blur_.apply(pass, program_);
  return blur_.finish(pass, BlurRecipe::for_radius(shape.radius));
}

}  // namespace sightglass
