// A session's GL objects, and how its steps are issued.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "gpu_engine/gl_objects.h"
#include "gpu_engine/session.h"
#include "plan/plan_data.h"
#include "runtime/arena.h"
#include "runtime/buffer_textures.h"
#include "runtime/buffers.h"
#include "runtime/cpu_stretch.h"
#include "runtime/gate.h"
#include "runtime/run_in_parts.h"

namespace sightglass {

struct Session::Impl {
  std::shared_ptr<ShareGroup> group;
  const GlApi& gl;
  std::shared_ptr<const Plan> plan;
  std::vector<SharedProgram> programs;
  SharedPlanBuffers constants;
  Arena arena;
  Gate gate;        // where the session has one
  GlBuffer frames;  // the blocks of inputs that are textures, one for every input; empty where none is
  BufferTextures buffer_textures;
  GlSampler sampler;
  struct InputFrame {
    FrameRef frame;
    FrameBlock block;
    bool block_is_new = true;
    GLuint place_buffer = 0;  // that has the block, from `place_offset` on; 0: it is `block`
    GLintptr place_offset = 0;
  };
  std::vector<InputFrame> inputs;  // by model input
  std::vector<GlTexture> outputs;  // by model output; empty for those that are no textures
  bool checked = false;            // whether the first run's GL errors have been looked at
  RunInParts parts;
  size_t next_step = 0;     // of a run in parts; 0: none is under way
  bool part_gated = false;  // of the run in parts that is under way
  CpuTensors cpu_tensors;   // of the run that is under way

  Impl(std::shared_ptr<ShareGroup> shared, std::shared_ptr<const Plan> planned)
      : group(std::move(shared)), gl(group->gl()), plan(std::move(planned)) {}

  const PlanData& data() const { return plan->data(); }
  // Inputs that are read through buffer textures need no storage block.
  GLuint first_arena_binding() const;
  // From one input's block to the next one's: uniform blocks begin at the device's alignment.
  int64_t frame_stride() const { return std::max<int64_t>(sizeof(FrameBlock), data().limits.uniform_offset_alignment); }
  FrameKind frame_kind(size_t input) const { return data().options.inputs[input].frame; }

  Status build(const SessionOptions& options);
  void warm_up();
  Status check_frame(size_t input, const FrameRef& frame) const;
  bool places_from_buffers() const {
    return std::ranges::any_of(inputs, [](const InputFrame& input) { return input.place_buffer != 0; });
  }
  void upload_frame_blocks();
  void bind_buffers() const;
  Status run_on_cpu(const CpuStretch& stretch, CpuTensors& tensors);
  void bind_step(const Step& step, const Step* previous);
  void unbind();
  Status run(StepTimer* timer);  // with each step timed, unless that is null
  // Readies the gate for a run about which that flag decides.
  Status ask(GLuint flag_buffer, GLintptr offset);
  Status issue(size_t first, size_t last, StepTimer* timer, bool gated = false);
  Result<double> issue_part(double share);
};

}  // namespace sightglass
