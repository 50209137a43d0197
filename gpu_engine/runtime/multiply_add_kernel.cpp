#include "runtime/multiply_add_kernel.h"

#include <array>

#include "runtime/buffers.h"
#include "shader/measure_shaders.h"

namespace sightglass {

namespace {

constexpr int64_t kLanes = 4;  // per vector
constexpr int64_t kGroups = 1024, kGroupSize = kMeasureInvocations;

}  // namespace

Result<MultiplyAddKernel> MultiplyAddKernel::create(ShareGroup& group, int chains) {
  MultiplyAddKernel kernel(group.gl(), chains);
  const std::array<ProgramKey, 1> keys{ProgramKey{multiply_add_shader(chains)}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group.programs(keys));
  kernel.program_ = std::move(programs.front());
  clear_gl_errors(kernel.gl_);
  kernel.output_ =
      make_buffer(kernel.gl_, GL_SHADER_STORAGE_BUFFER,
                  kGroups * kGroupSize * kLanes * static_cast<int64_t>(sizeof(float)), nullptr, GL_DYNAMIC_COPY);
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(kernel.gl_, "allocating a buffer to measure the device"));
  return kernel;
}

Status MultiplyAddKernel::run(StepTimer& timer, int rounds) const {
  gl_.UseProgram(program_->id());
  gl_.Uniform4f(kFactorLocation, 0.999f, 0.001f, 0, 0);
  gl_.Uniform1i(kRoundsLocation, rounds);
  gl_.BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, output_.id());
  Status status = timer.start();
  if (status.ok()) {
    gl_.DispatchCompute(kGroups, 1, 1);
    status = timer.stop();
  }
  gl_.BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, 0);
  gl_.UseProgram(0);
  return status;
}

int64_t MultiplyAddKernel::multiply_adds(int rounds) const {
  return kGroups * kGroupSize * kLanes * kUnrolled * chains_ * rounds;
}

}  // namespace sightglass
