#include "runtime/session_impl.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "gpu_engine/build_programs.h"
#include "gpu_engine/files.h"
#include "gpu_engine/quoted.h"
#include "kernel/kernel_interface.h"
#include "kernel/tensors.h"
#include "plan/planner.h"
#include "ref/ref_ops.h"
#include "runtime/arena.h"
#include "runtime/run_watch.h"
#include "shader/own_shaders.h"
#include "sightglass/empty_frame.h"

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
  const auto alone = CompileScope::use_alone(program_->id());
  gl.UseProgram(program_->id());
  gl.BindSampler(kSettledUnit, sampler);
  gl.DispatchCompute(1, 1, 1);
  gl.BindSampler(kSettledUnit, 0);
}

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

Status run_stretch(const Graph& graph, const CpuStretch& stretch, CpuTensors& tensors) {
  for (const NodeId id : stretch.nodes) {
    const Node& node = graph.node(id);
    std::vector<HostTensor> constants(node.inputs.size());
    std::vector<const HostTensor*> arguments;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId input = node.inputs[i];
      if (graph.is_constant(input)) {
        SIGHTGLASS_ASSIGN_OR_RETURN(constants[i], ref::constant_tensor(graph, input));
        arguments.push_back(&constants[i]);
      } else {
        arguments.push_back(input == kNone ? nullptr : &tensors.at(input));
      }
    }
    SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<HostTensor> results, ref::evaluate(graph, node, arguments));
    for (size_t i = 0; i < results.size(); ++i) tensors.insert_or_assign(node.outputs[i], std::move(results[i]));
  }
  return {};
}

namespace {

GLenum gl_format(TextureFormat format) {
  switch (format) {
    case TextureFormat::kRgba8:
      return GL_RGBA8;
    case TextureFormat::kRgba16f:
      return GL_RGBA16F;
    case TextureFormat::kRgba32f:
      return GL_RGBA32F;
  }
  return GL_RGBA16F;
}

}  // namespace

// Tuning can combine steps of both read paths in one plan.
GLuint Session::Impl::first_arena_binding() const {
  const auto reads_textures = [](const ShaderKey& key) {
    return std::ranges::find(key.defines, kBufferTextures, &ShaderDefine::name) != key.defines.end();
  };
  return std::ranges::all_of(data().programs, reads_textures) ? kOutputBlock : kInputABlock;
}

Status Session::Impl::build(const SessionOptions& options) {
  const Stopwatch time;
  std::vector<ProgramKey> keys;
  for (const ShaderKey& key : data().programs) keys.push_back({key});
  SIGHTGLASS_ASSIGN_OR_RETURN(programs, group->programs(keys));
  SIGHTGLASS_ASSIGN_OR_RETURN(constants, group->buffers(plan));
  SIGHTGLASS_ASSIGN_OR_RETURN(memory, MemoryShare::take("it needs", memory_of(data()) - data().memory.weight_bytes,
                                                        data().options.resources.memory_bytes));
  // Building programs clears errors, so that those of allocations would be lost: programs come first.
  SIGHTGLASS_RETURN_IF_ERROR(settled_samplers.create(*group, data()));
  clear_gl_errors(gl);
  if (options.gated) SIGHTGLASS_RETURN_IF_ERROR(gate.create(*group, data()));
  arena.create(gl, data());
  buffer_textures.create(gl, data(), arena.id(), constants->weights.id());
  sampler = make_sampler(gl, GL_LINEAR);
  inputs.resize(data().inputs.size());
  if (std::ranges::any_of(data().steps, [](const Step& step) { return step.input >= 0; })) {
    frames = make_buffer(gl, GL_UNIFORM_BUFFER, static_cast<int64_t>(inputs.size()) * frame_stride(), nullptr,
                         GL_DYNAMIC_DRAW);
  }
  for (size_t i = 0; i < data().outputs.size(); ++i) {
    const OutputSpec& spec = data().options.outputs[i];
    if (spec.target != OutputSpec::Target::kTexture) {
      outputs.emplace_back();
      continue;
    }
    const Bhwc& shape = data().outputs[i].shape;
    outputs.push_back(make_texture(gl, gl_format(spec.format), shape.w, shape.h));
  }
  arena.clear();
  arena.fill();
  arena.fill_states();
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl, "allocating the buffers and textures of a model"));
  if (options.warm_up) {
    SIGHTGLASS_RETURN_IF_ERROR(warm_up());
    if (data().sentinel_size > 0) arena.fill();
    arena.fill_states();
    SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl, "dispatching the programs of a model"));
  }
  group->log().info([&] {
    return plan->model().name() + ": session ready in " + time.text() + (options.warm_up ? ", warmed up" : "") +
           (options.gated ? ", with runs that the GPU may skip" : "");
  });
  return {};
}

int64_t Session::Impl::frame_stride() const {
  int64_t bytes = 0;
  for (size_t i = 0; i < data().inputs.size(); ++i) bytes = std::max(bytes, frame_bytes(i));
  const int64_t alignment = data().limits.uniform_offset_alignment;
  return (bytes + alignment - 1) / alignment * alignment;
}

Status Session::Impl::warm_up() {
  std::vector<EmptyFrame> empty;
  for (size_t i = 0; i < inputs.size(); ++i) {
    constexpr int32_t kSide = 20;  // no power of two, and neither is its half: as the sides of most frames
    inputs[i].frame = empty.emplace_back(gl, frame_kind(i), kSide, kSide).ref();
  }
  upload_frame_blocks();
  std::vector<const Step*> firsts;  // of each program
  std::vector<bool> known(programs.size());
  for (const Step& step : data().steps) {
    if (step.cpu_stretch >= 0 || known[static_cast<size_t>(step.program)]) continue;
    known[static_cast<size_t>(step.program)] = true;
    firsts.push_back(&step);
  }
  bind_buffers();
  const bool threads = CompileScope::has_begun();
  if (threads) SIGHTGLASS_RETURN_IF_ERROR(wait_for_gpu(gl));
  Status going;
  const std::vector<size_t> elsewhere = CompileScope::share_out(firsts.size(), [&](const NextItem& next) {
    bind_buffers();
    while (const std::optional<size_t> item = next()) {
      // Continues after a cancellation without work, so that nothing is left to other threads.
      if (const Status status = check_cancellation(); !status.ok()) {
        going = status;
        continue;
      }
      bind_step(*firsts[*item], nullptr);
      gl.DispatchCompute(1, 1, 1);
    }
    unbind();
    if (threads) static_cast<void>(wait_for_gpu(gl));  // a failure shows below
  });
  // Some drivers have the code of a program once per context. By now, they have it cached.
  bind_buffers();
  for (const size_t item : elsewhere) {
    if (!going.ok()) break;
    bind_step(*firsts[item], nullptr);
    gl.DispatchCompute(1, 1, 1);
  }
  if (gate) gate.warm_up(gl);
  unbind();
  gl.Finish();
  for (InputFrame& input : inputs) input.frame = {};
  return going;
}

void Session::Impl::upload_frame_blocks() {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!frames || !inputs[i].block_is_new) continue;
    inputs[i].block_is_new = false;
    gl.BindBuffer(GL_UNIFORM_BUFFER, frames.id());
    gl.BufferSubData(GL_UNIFORM_BUFFER, static_cast<GLintptr>(static_cast<int64_t>(i) * frame_stride()),
                     sizeof(FrameBlock), &inputs[i].block);
    gl.BindBuffer(GL_UNIFORM_BUFFER, 0);
  }
}

void Session::Impl::bind_buffers() const {
  for (GLuint i = first_arena_binding(); i < kArenaBlocks && !data().has_windows; ++i) {
    gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, i, arena.id());
  }
  gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, kConstantsBlock, constants->weights.id());
  settled_samplers.settle(gl, sampler.id());
  buffer_textures.bind(gl);
  gl.ActiveTexture(GL_TEXTURE0);
}

void Session::Impl::bind_step(const Step& step, const Step* previous) {
  if (previous == nullptr || previous->program != step.program) {
    gl.UseProgram(programs[static_cast<size_t>(step.program)]->id());
  }
  gl.BindBufferRange(GL_UNIFORM_BUFFER, kParamsBlock, constants->params.id(), static_cast<GLintptr>(step.params_offset),
                     static_cast<GLsizeiptr>(step.params.words().size() * sizeof(int32_t)));
  for (GLuint i = 0; i < kArenaBlocks && data().has_windows; ++i) {
    const ArenaWindow& window = step.windows[i];
    if (window.size == 0) continue;
    gl.BindBufferRange(GL_SHADER_STORAGE_BUFFER, i, arena.id(), static_cast<GLintptr>(window.offset * kBlockBytes),
                       static_cast<GLsizeiptr>(window.size * kBlockBytes));
  }
  if (step.input >= 0) {
    const InputFrame& input = inputs[static_cast<size_t>(step.input)];
    const bool elsewhere = input.place_buffer != 0;
    gl.BindBufferRange(GL_UNIFORM_BUFFER, kFrameBinding, elsewhere ? input.place_buffer : frames.id(),
                       elsewhere ? input.place_offset : static_cast<GLintptr>(step.input * frame_stride()),
                       static_cast<GLsizeiptr>(frame_bytes(static_cast<size_t>(step.input))));
    bind_frame(gl, input.frame, sampler.id(), sampler.id());
  }
  if (const auto output = static_cast<size_t>(step.output); step.output >= 0 && outputs[output]) {
    gl.BindImageTexture(kOutputImage, outputs[output].id(), 0, GL_FALSE, 0, GL_WRITE_ONLY,
                        gl_format(data().options.outputs[output].format));
  }
}

void Session::Impl::unbind() {
  buffer_textures.unbind(gl);
  for (GLuint i = first_arena_binding(); i < kStorageBlocks; ++i) gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, i, 0);
  gl.BindBufferBase(GL_UNIFORM_BUFFER, kParamsBlock, 0);
  if (frames) {
    gl.BindBufferBase(GL_UNIFORM_BUFFER, kFrameBinding, 0);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (data().options.inputs[i].source == InputSpec::Source::kTexture) unbind_frame(gl, frame_kind(i));
    }
  }
  gl.BindImageTexture(kOutputImage, 0, 0, GL_FALSE, 0, GL_READ_ONLY, GL_RGBA8);
  gl.UseProgram(0);
}

Status Session::Impl::run_on_cpu(const CpuStretch& stretch, CpuTensors& tensors) {
  const Graph& graph = *data().graph;
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl, "running the GPU operators upstream of a CPU segment"));
  for (const HostCopy& copy : stretch.reads) {
    const Value& value = graph.value(copy.value);
    const PlanTensor& tensor = data().tensors[static_cast<size_t>(copy.ref.tensor)];
    HostTensor& host = tensors.emplace(copy.value, HostTensor(value.type, value.shape)).first->second;
    SIGHTGLASS_RETURN_IF_ERROR(arena.read(tensor.offset, tensor.size, [&](const void* mapped) {
      from_storage(copy.ref.shape, tensor.storage, value.type, value.quantization,
                   static_cast<const std::byte*>(mapped), host.data);
    }));
  }
  SIGHTGLASS_RETURN_IF_ERROR(run_stretch(graph, stretch, tensors));
  gl.MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  for (const HostCopy& copy : stretch.writes) {
    const Value& value = graph.value(copy.value);
    const PlanTensor& tensor = data().tensors[static_cast<size_t>(copy.ref.tensor)];
    arena.write(tensor.offset, to_storage(copy.ref.shape, tensor.storage, value.type, value.quantization,
                                          tensors.at(copy.value).data));
  }
  return {};
}

Status Session::Impl::run(StepTimer* timer) {
  next_step = 0;
  return issue(0, data().steps.size(), timer);
}

Status Session::Impl::issue(size_t first, size_t last, StepTimer* timer, bool gated) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (data().options.inputs[i].source == InputSpec::Source::kTexture && inputs[i].frame.textures[0] == 0) {
      return invalid_argument("input " + std::to_string(i) + " has no texture");
    }
  }
  if (!checked || !data().cpu_stretches.empty()) clear_gl_errors(gl);
  if (first == 0) {
    upload_frame_blocks();
    cpu_tensors.clear();
  }
  bind_buffers();
  if (gated) gate.bind(gl);

  // Between levels. Before the first one: against the previous run or part, and against readers of its images.
  const GLbitfield between_levels =
      GL_SHADER_STORAGE_BARRIER_BIT | (data().buffer_textures ? GL_TEXTURE_FETCH_BARRIER_BIT : 0);
  gl.MemoryBarrier(between_levels | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT |
                   (places_from_buffers() ? GL_UNIFORM_BARRIER_BIT : 0));
  const Log& log = group->log();
  const bool traces = log.wants(LogLevel::kTrace);
  log.trace([&] {
    return plan->model().name() + ": issuing steps " + std::to_string(first) + " to " + std::to_string(last) + " of " +
           std::to_string(data().steps.size()) + (gated ? ", if the flag on the GPU is set" : "");
  });
  const Step* previous = nullptr;
  Status status;
  RunWatch watch(gl, data().options.resources.run_time);
  for (const Step& step : std::span(data().steps).subspan(first, last - first)) {
    if (traces) log.trace([&] { return step.node + ": " + step.kernel; });
    if (step.cpu_stretch >= 0) {
      const CpuStretch& stretch = data().cpu_stretches[static_cast<size_t>(step.cpu_stretch)];
      if (timer != nullptr) status = timer->start_on_cpu();
      // An exception must not leave the bindings in place.
      try {
        if (status.ok()) status = run_on_cpu(stretch, cpu_tensors);
      } catch (...) {
        status = status_of_exception("operators on the CPU", "run");
      }
      if (status.ok() && timer != nullptr) status = timer->stop();
      if (status.ok() && step.ends_part) status = watch.end_part();
      if (!status.ok()) break;
      previous = &step;
      continue;
    }
    if (previous != nullptr && (previous->level != step.level || timer != nullptr)) gl.MemoryBarrier(between_levels);
    bind_step(step, previous);
    if (timer != nullptr && !(status = timer->start()).ok()) break;
    if (gated) {
      gl.DispatchComputeIndirect(Gate::offset(static_cast<size_t>(&step - data().steps.data())));
    } else {
      gl.DispatchCompute(step.groups[0], step.groups[1], step.groups[2]);
    }
    if (timer != nullptr && !(status = timer->stop()).ok()) break;
    if (step.ends_part && !(status = watch.end_part()).ok()) break;
    previous = &step;
  }
  // For readers of the results.
  gl.MemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT |
                   (data().memory.output_bytes > 0 ? GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT : 0));
  if (gated) Gate::unbind(gl);
  unbind();
  SIGHTGLASS_RETURN_IF_ERROR(status.with_context(plan->model().name()));
  if (checked || last < data().steps.size()) return {};
  checked = true;
  return check_gl(gl, "running a model for the first time");
}

Status Session::Impl::check_frame(size_t input, const FrameRef& frame) const {
  if (input >= inputs.size() || data().options.inputs[input].source != InputSpec::Source::kTexture) {
    return invalid_argument("input " + std::to_string(input) + " was not planned as a texture");
  }
  const FrameKind planned = frame_kind(input);
  const auto textures = std::span(frame.textures).first(static_cast<size_t>(planes_of(planned)));
  if (frame.kind != planned || std::ranges::find(textures, 0U) != textures.end()) {
    return invalid_argument("input " + std::to_string(input) + " was planned as " + to_string(planned) +
                            ", but the frame is of another kind or lacks a texture");
  }
  return {};
}

Status Session::Impl::ask(GLuint flag_buffer, GLintptr offset) {
  if (!gate)
    return invalid_argument("the session does not support conditional runs; create it with SessionOptions::gated");
  if (!data().cpu_stretches.empty()) {
    return unsupported(plan->model().name() + " runs partly on the CPU, which cannot evaluate a flag on the GPU: " +
                       plan->fallback().warning());
  }
  if (flag_buffer == 0 || offset < 0 || offset % data().limits.storage_offset_alignment != 0) {
    return invalid_argument("a conditional run needs a buffer and an offset that is a multiple of " +
                            std::to_string(data().limits.storage_offset_alignment));
  }
  gate.ask(gl, flag_buffer, offset);
  return {};
}

Result<double> Session::Impl::issue_part(double share) {
  if (!(share > 0 && share <= 1)) return invalid_argument("the share of a part must be in (0,1]");
  if (parts.empty()) parts = RunInParts(data().steps, plan->steps());
  const size_t first = next_step, last = parts.end_of_part(first, share);
  next_step = 0;
  SIGHTGLASS_RETURN_IF_ERROR(issue(first, last, nullptr, part_gated));
  const bool complete = last == data().steps.size();
  next_step = complete ? 0 : last;
  return complete ? 1 : parts.done(last);
}

}  // namespace sightglass
