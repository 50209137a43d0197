// GL objects of a session, and the issuing of its steps.
#pragma once

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpu_engine/files.h"
#include "gpu_engine/internals.h"
#include "plan/plan_data.h"
#include "runtime/arena.h"
#include "runtime/run_watch.h"
#include "sightglass/gl_objects.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"

namespace sightglass {

// Keeps llvmpipe from compiling programs again (DeviceLimits::compiles_for_samplers): without it, the first run of a
// model after another program of the context takes as long as the first one.
class SettledSamplers {
 public:
  // Does nothing for other devices, and for plans without buffer textures.
  Status create(ShareGroup& group, const PlanData& plan);
  // Before the steps of a run or of a part of one: the samplers that buffer textures inherit are `sampler`, which
  // frames have too. Any unit may be active afterward, and a program may be in use.
  void settle(const GlApi& gl, GLuint sampler) const;
  // Releases the program without deleting it.
  void abandon() { program_.abandon(); }

 private:
  SharedProgram program_;
};

// Conditional runs: the work group counts of all steps are in a buffer, and become zeros if a flag is 0.
class Gate {
 public:
  // For the steps of `plan`. The caller checks for GL errors.
  Status create(ShareGroup& group, const PlanData& plan);
  explicit operator bool() const { return bool{groups_}; }

  // Computes the work group counts from the flag, a uint at `offset` of the buffer. Waits, on the GPU, for the shader
  // that wrote the flag.
  void ask(const GlApi& gl, GLuint flag_buffer, GLintptr offset) const;
  // From bind() to unbind(), dispatch step i indirectly, from byte offset(i).
  void bind(const GlApi& gl) const { gl.BindBuffer(GL_DISPATCH_INDIRECT_BUFFER, groups_.id()); }
  static GLintptr offset(size_t step) { return static_cast<GLintptr>(step * 3 * sizeof(GLuint)); }
  static void unbind(const GlApi& gl) { gl.BindBuffer(GL_DISPATCH_INDIRECT_BUFFER, 0); }
  // Runs the program once, with its own flag. No visible effect.
  void warm_up(const GlApi& gl) const { ask(gl, planned_.id(), 0); }

  void abandon();

 private:
  SharedProgram program_;
  GlBuffer planned_, groups_;  // three uints per step
  GLuint dispatches_ = 0;      // work groups of the program
};

// A CPU segment, run with the reference kernels. No GL.

using CpuTensors = std::unordered_map<ValueId, HostTensor>;

// Evaluates the nodes of `stretch`. `tensors` contains the inputs and results of earlier segments and the inputs of
// this one; its results are added.
Status run_stretch(const Graph& graph, const CpuStretch& stretch, CpuTensors& tensors);

struct Session::Impl {
  std::shared_ptr<ShareGroup> group;
  const GlApi& gl;
  std::shared_ptr<const Plan> plan;
  std::vector<SharedProgram> programs;
  SharedPlanBuffers constants;
  Arena arena;
  Gate gate;        // if the session is gated
  GlBuffer frames;  // uniform blocks, one per input; empty if no input is a texture
  BufferTextures buffer_textures;
  GlSampler sampler;  // of frames
  SettledSamplers settled_samplers;
  struct InputFrame {
    FrameRef frame;
    FrameBlock block;
    bool block_is_new = true;
    GLuint place_buffer = 0;  // contains the block at `place_offset`; 0: use `block`
    GLintptr place_offset = 0;
  };
  std::vector<InputFrame> inputs;  // by model input
  std::vector<GlTexture> outputs;  // by model output; empty if not a texture
  bool checked = false;            // whether GL errors of the first run have been checked
  RunInParts parts;
  size_t next_step = 0;     // of a run in parts; 0: none in progress
  bool part_gated = false;  // of the run in parts in progress
  CpuTensors cpu_tensors;   // of the run in progress
  MemoryShare memory;       // without the weights

  Impl(std::shared_ptr<ShareGroup> shared, std::shared_ptr<const Plan> planned)
      : group(std::move(shared)), gl(group->gl()), plan(std::move(planned)) {}

  const PlanData& data() const { return data_of(*plan); }
  // Inputs that are read through buffer textures need no storage block.
  GLuint first_arena_binding() const;
  // Images of an input; several of them are parts of the frame (InputSpec::parts).
  int32_t images(size_t input) const { return Bhwc::from(plan->model().inputs()[input].shape).b; }
  // The uniform block of an input.
  int64_t frame_bytes(size_t input) const { return images(input) > 1 ? sizeof(FramePartsBlock) : sizeof(FrameBlock); }
  // Distance between the blocks of inputs: uniform blocks start at the alignment of the device.
  int64_t frame_stride() const;
  FrameKind frame_kind(size_t input) const { return data().options.inputs[input].frame; }

  Status build(const SessionOptions& options);
  // Dispatches the first step of every program. It reads the zeros and constants of the arena.
  Status warm_up();
  Status check_frame(size_t input, const FrameRef& frame) const;
  bool places_from_buffers() const {
    return std::ranges::any_of(inputs, [](const InputFrame& input) { return input.place_buffer != 0; });
  }
  // Uploads the blocks that changed, which is rare: position and color encoding of frames.
  void upload_frame_blocks();
  void bind_buffers() const;
  Status run_on_cpu(const CpuStretch& stretch, CpuTensors& tensors);
  void bind_step(const Step& step, const Step* previous);
  void unbind();
  Status run(StepTimer* timer);  // times each step if `timer` is not null
  // Prepares the gate for a run on condition of that flag.
  Status ask(GLuint flag_buffer, GLintptr offset);
  // Issues the steps from `first` up to `last`. With a timer, a barrier after each step makes it run separately.
  Status issue(size_t first, size_t last, StepTimer* timer, bool gated = false);
  // Issues the next part of the run in progress, or the first part of a run, gated if `part_gated`.
  Result<double> issue_part(double share);
};

}  // namespace sightglass
