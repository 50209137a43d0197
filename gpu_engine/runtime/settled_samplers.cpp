#include "runtime/settled_samplers.h"

#include <array>
#include <utility>
#include <vector>

#include "shader/settle_shader.h"

namespace sightglass {

Status SettledSamplers::create(ShareGroup& group, const PlanData& plan) {
  if (!plan.limits.compiles_for_samplers || !plan.buffer_textures) return {};
  const std::array<ProgramKey, 1> keys{ProgramKey{settle_shader()}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group.programs(keys));
  program_ = std::move(programs.front());
  return {};
}

void SettledSamplers::settle(const GlApi& gl, GLuint sampler) const {
  if (!program_) return;
  gl.UseProgram(program_->id());
  gl.BindSampler(kSettledUnit, sampler);
  gl.DispatchCompute(1, 1, 1);
  gl.BindSampler(kSettledUnit, 0);
}

}  // namespace sightglass
