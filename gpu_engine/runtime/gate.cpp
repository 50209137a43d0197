#include "runtime/gate.h"

#include <array>
#include <vector>

#include "runtime/buffers.h"
#include "shader/gate_shader.h"

namespace sightglass {

Status Gate::create(ShareGroup& group, const PlanData& plan) {
  const std::array<ProgramKey, 1> keys{ProgramKey{gate_shader()}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group.programs(keys));
  program_ = std::move(programs.front());
  std::vector<GLuint> counts;
  for (const Step& step : plan.steps) counts.insert(counts.end(), step.groups.begin(), step.groups.end());
  const auto bytes = static_cast<int64_t>(counts.size() * sizeof(GLuint));
  const GlApi& gl = group.gl();
  planned_ = make_buffer(gl, GL_SHADER_STORAGE_BUFFER, bytes, counts.data(), GL_STATIC_DRAW);
  groups_ = make_buffer(gl, GL_SHADER_STORAGE_BUFFER, bytes, nullptr, GL_DYNAMIC_COPY);
  dispatches_ = static_cast<GLuint>((counts.size() + kGateInvocations - 1) / kGateInvocations);
  return {};
}

void Gate::ask(const GlApi& gl, GLuint flag_buffer, GLintptr offset) const {
  gl.MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_COMMAND_BARRIER_BIT);
  gl.UseProgram(program_->id());
  gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, kPlannedBlock, planned_.id());
  gl.BindBufferRange(GL_SHADER_STORAGE_BUFFER, kFlagBlock, flag_buffer, offset, sizeof(GLuint));
  gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, kGroupsBlock, groups_.id());
  gl.DispatchCompute(dispatches_, 1, 1);
  for (const uint32_t binding : {kPlannedBlock, kFlagBlock, kGroupsBlock})
    gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, 0);
  gl.MemoryBarrier(GL_COMMAND_BARRIER_BIT);
}

void Gate::abandon() {
  program_.abandon();
  planned_.abandon();
  groups_.abandon();
}

}  // namespace sightglass
