// GL objects of a session, and the issuing of its steps.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "gpu_engine/memory_limit.h"
#include "gpu_engine/plan_internals.h"
#include "plan/plan_data.h"
#include "runtime/arena.h"
#include "runtime/buffer_textures.h"
#include "runtime/buffers.h"
#include "runtime/cpu_stretch.h"
#include "runtime/gate.h"
#include "runtime/run_in_parts.h"
#include "runtime/settled_samplers.h"
#include "sightglass/gl_objects.h"
#include "sightglass/session.h"

namespace sightglass {

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
  // Distance between the blocks of inputs: uniform blocks start at the alignment of the device.
  int64_t frame_stride() const { return std::max<int64_t>(sizeof(FrameBlock), data().limits.uniform_offset_alignment); }
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
