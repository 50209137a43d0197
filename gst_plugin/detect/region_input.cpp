#include "detect/region_input.h"

#include <utility>
#include <vector>

#include "detect/shaders.h"
#include "gl/compute.h"
#include "gl/pass.h"

namespace sightglass {

Result<RegionInput> RegionInput::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Of of, int32_t width,
                                        int32_t height) {
  const std::vector<ProgramKey> keys{{of == Of::kLook ? sample_look_shader(kind) : sample_region_shader(kind)}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return RegionInput(group->gl(), std::move(programs[0]), of, width, height);
}

RegionInput::RegionInput(const GlApi& gl, SharedProgram program, Of of, int32_t width, int32_t height)
    : gl_(&gl),
      program_(std::move(program)),
      of_(of),
      width_(width),
      height_(height),
      texture_(make_texture(gl, GL_RGBA16F, width, height)),
      linear_(make_sampler(gl, GL_LINEAR)) {}

void RegionInput::sample(const UprightFrame& frame, const RegionParams& params, Regions& regions) {
  Pass pass(*gl_, linear_.id());
  pass.read(frame.stored);
  pass.uniforms(kFrameBinding, regions.place());
  pass.write(0, texture_.id(), GL_RGBA16F);
  gl_->MemoryBarrier(GL_UNIFORM_BARRIER_BIT);  // a shader has written the place
  regions.run(pass, program_->id(), params,
              {regions.state(), of_ == Of::kLook ? regions.detector_runs() : regions.is_somebody()},
              groups_across(width_), groups_across(height_));
}

}  // namespace sightglass
