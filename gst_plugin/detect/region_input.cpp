#include "detect/region_input.h"

#include <utility>
#include <vector>

#include "detect/shaders.h"
#include "gl/compute.h"

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
  bind_frame(*gl_, frame.stored, linear_.id(), linear_.id());
  gl_->BindBufferBase(GL_UNIFORM_BUFFER, kFrameBinding, regions.place().buffer);
  gl_->BindImageTexture(0, texture_.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA16F);
  gl_->MemoryBarrier(GL_UNIFORM_BARRIER_BIT);
  regions.run(program_->id(), params,
              {regions.state(), of_ == Of::kLook ? regions.detector_runs() : regions.is_somebody()},
              groups_across(width_), groups_across(height_));
  gl_->MemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
  gl_->BindImageTexture(0, 0, 0, GL_FALSE, 0, GL_READ_ONLY, GL_R32UI);
  unbind_frame(*gl_, frame.stored.kind);
}

}  // namespace sightglass
