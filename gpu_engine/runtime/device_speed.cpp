#include "runtime/device_speed.h"

#include <algorithm>
#include <array>
#include <functional>

#include "gpu_engine/device_family.h"
#include "gpu_engine/quoted.h"
#include "runtime/arena.h"
#include "shader/own_shaders.h"
#include "sightglass/gl_objects.h"

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

namespace {

constexpr int kRepetitions = 5;

// The shortest of several times of the dispatches of `run`, in seconds.
Result<double> best_seconds(StepTimer& timer, const std::function<Status()>& run) {
  int64_t best = 0;
  int disjoint = 0;
  for (int i = 0; i < kRepetitions + 1; ++i) {
    SIGHTGLASS_RETURN_IF_ERROR(timer.begin(1));
    SIGHTGLASS_RETURN_IF_ERROR(run());
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> times, timer.finish());
    if (timer.disjoint()) {
      if (++disjoint > kRepetitions) return device_error("the GPU clock jumps too often to measure the device");
      --i;
      continue;
    }
    // The first one does not count: drivers finish compiling then.
    if (i > 0) best = best == 0 ? times.front() : std::min(best, times.front());
  }
  return static_cast<double>(std::max<int64_t>(best, 1)) * 1e-9;
}

Status measure_multiply_adds(StepTimer& timer, DeviceSpeed& speed) {
  constexpr double kLongEnough = 10e-3;
  for (const int chains : kMultiplyAddChains) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const MultiplyAddKernel kernel, MultiplyAddKernel::create(*timer.group(), chains));
    for (int rounds = 4;; rounds *= 4) {
      rounds = std::min(rounds, MultiplyAddKernel::kMostRounds);
      SIGHTGLASS_ASSIGN_OR_RETURN(const double seconds, best_seconds(timer, [&] { return kernel.run(timer, rounds); }));
      if (seconds < kLongEnough && rounds < MultiplyAddKernel::kMostRounds) continue;
      const double found = static_cast<double>(kernel.multiply_adds(rounds)) / seconds;
      if (found > speed.multiply_adds_per_second) {
        speed.multiply_adds_per_second = found;
        speed.chains = chains;
      }
      break;
    }
  }
  return {};
}

Status measure_copies(StepTimer& timer, const DeviceLimits& limits, DeviceSpeed& speed) {
  constexpr int64_t kVec4Bytes = 16, kVec4sOfGroup = kCopied * kMeasureInvocations;
  constexpr int64_t kBytes = int64_t{32} << 20;
  const GlApi& gl = timer.group()->gl();
  clear_gl_errors(gl);
  const GlBuffer from = make_buffer(gl, GL_SHADER_STORAGE_BUFFER, kBytes, nullptr, GL_DYNAMIC_COPY);
  const GlBuffer to = make_buffer(gl, GL_SHADER_STORAGE_BUFFER, kBytes, nullptr, GL_DYNAMIC_COPY);
  for (const bool buffer_textures : {false, true}) {
    // A device with shorter buffer textures copies less.
    const int64_t bytes = buffer_textures ? std::min(kBytes, int64_t{limits.max_buffer_texels} * kVec4Bytes) : kBytes;
    const int64_t groups = std::min<int64_t>(bytes / kVec4Bytes / kVec4sOfGroup, limits.workgroup_count[0]);
    if (groups == 0) continue;
    const std::array<ProgramKey, 1> keys{ProgramKey{copy_shader(buffer_textures)}};
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<SharedProgram> programs, timer.group()->programs(keys));
    GlTexture texture;
    gl.ActiveTexture(GL_TEXTURE0);
    if (buffer_textures) {
      GLuint id = 0;
      gl.GenTextures(1, &id);
      texture = GlTexture(gl, id);
      gl.BindTexture(GL_TEXTURE_BUFFER, id);
      gl.TexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, from.id());
    } else {
      gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, from.id());
    }
    gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, to.id());
    gl.UseProgram(programs.front()->id());
    const Result<double> seconds = best_seconds(timer, [&] {
      gl.MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
      SIGHTGLASS_RETURN_IF_ERROR(timer.start());
      gl.DispatchCompute(static_cast<GLuint>(groups), 1, 1);
      return timer.stop();
    });
    gl.UseProgram(0);
    for (const GLuint binding : {0u, 1u}) gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, 0);
    if (buffer_textures) gl.BindTexture(GL_TEXTURE_BUFFER, 0);
    SIGHTGLASS_RETURN_IF_ERROR(seconds.status());
    const double found = 2 * static_cast<double>(groups * kVec4sOfGroup * kVec4Bytes) / *seconds;
    if (found > speed.copied_bytes_per_second) {
      speed.copied_bytes_per_second = found;
      speed.buffer_textures = buffer_textures;
    }
  }
  return check_gl(gl, "measuring the copy speed of the device");
}

}  // namespace

Result<DeviceSpeed> measure_device(StepTimer& timer, const DeviceLimits& limits) try {
  DeviceSpeed speed;
  SIGHTGLASS_RETURN_IF_ERROR(measure_multiply_adds(timer, speed));
  SIGHTGLASS_RETURN_IF_ERROR(measure_copies(timer, limits, speed));
  return speed;
} catch (...) {
  return status_of_exception("the device", "measure it");
}

}  // namespace sightglass
