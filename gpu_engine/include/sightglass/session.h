// A plan on one GL context. All calls need that context (or one that shares its objects) current on the calling thread.
// Only one thread at a time may use a session.
//
// The session owns the state of a recurrent model. It starts as the model declares, usually as zeros, and each run()
// advances it by one step (PlanOptions::keep_state). Sessions of one plan have separate states.
//
// GL state after every call: no program, vertex array or framebuffer is bound, the active texture unit is 0, and every
// buffer binding, texture unit and sampler that was used is unbound. Nothing else is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sightglass/frame_ref.h"
#include "sightglass/gl_api.h"
#include "sightglass/input_transform.h"
#include "sightglass/log.h"
#include "sightglass/plan.h"
#include "sightglass/share_group.h"
#include "sightglass/step_timer.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

struct SessionOptions {
  // Dispatches every program once, for one work group, and waits for the GPU: drivers that finish compiling at the
  // first dispatch then do so in create(), not in the first frame. Has no visible effect.
  bool warm_up = true;
  // Allows run_if(). Costs one program and 24 bytes per step.
  bool gated = false;
  // For a session without a group. Other sessions use the log of their group.
  Log log = {};
};

// Part of a GL buffer, in bytes.
struct BufferRange {
  GLuint buffer = 0;
  GLintptr offset = 0;
  GLsizeiptr size = 0;
};

class Session {
 public:
  // Compiles all programs, allocates and uploads everything, so that run() does not. Shares programs and weights with
  // the other sessions of the group.
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<ShareGroup> group, std::shared_ptr<const Plan> plan,
                                                 const SessionOptions& options = {});
  // The same without sharing. `gl` is copied.
  static Result<std::unique_ptr<Session>> create(const GlApi& gl, std::shared_ptr<const Plan> plan,
                                                 const SessionOptions& options = {});
  // Deletes its GL objects, and shared ones if it is their last holder: a context of the group must be current. After a
  // lost context, call abandon() first.
  ~Session();
  // Releases all GL objects without deleting them, for a lost context. Sessions that share them are unaffected.
  void abandon();

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Sets the frame, of the planned kind, and the part of it that run() reads for an input planned as kTexture. Makes no
  // GL call. If the transform or color encoding changes, the next run() uploads 144 bytes.
  Status set_input_frame(size_t input, const FrameRef& frame, const InputTransform& transform = {});
  // The same, with the position in a GL buffer: a FrameBlock (frame_ref.h) at `offset`, a multiple of the device's
  // uniform_offset_alignment; 256 always is. Compute shaders may write it, anew for every run: a run waits, on the GPU,
  // for writes issued before its first part. The buffer must live until the last part. The block does not select the
  // textures that are sampled. An input of several images (InputSpec::parts) takes its position only this way, as a
  // FramePartsBlock.
  Status set_input_frame(size_t input, const FrameRef& frame, GLuint place_buffer, GLintptr offset = 0);
  // The same for a single-texture frame.
  Status set_input_texture(size_t input, const TextureRef& texture, const InputTransform& transform = {}) {
    return set_input_frame(input, texture, transform);
  }
  // The range that run() reads for an input planned as kBuffer: one 32-bit float per tensor element, without gaps.
  // Always the same range; owned by the session; do not access the rest of the buffer. Initially zeros, and runs keep
  // it. Compute shaders may write it before the first part of a run, which waits for them on the GPU. Fit for
  // glBindBufferRange(): the offset is a multiple of 256.
  Result<BufferRange> input_buffer(size_t input) const;
  // Uploads an input planned as kHost: tightly packed, row-major, in the type of the input.
  Status write_input(size_t input, std::span<const std::byte> bytes);

  // Issues the dispatches and returns without waiting. Does not allocate, compile, upload (except a changed transform),
  // read back or wait, unless the plan runs part of the model on the CPU (PlanOptions::fallback). A run that is
  // estimated at more than a quarter of a second is submitted in such parts, each after the GPU has completed the last
  // but one. If it takes longer than ResourceLimits::run_time, it ends between parts with the error kTimedOut.
  Status run();

  // run() on a condition that the GPU evaluates: if the uint at `offset` of the buffer is 0, no step has any work
  // groups, and outputs and recurrent state stay unchanged. The CPU does not learn the outcome. Compute shaders may
  // write the flag: it is read once, before the first step, after they finish. `offset` is a multiple of the device's
  // storage_offset_alignment; 256 always is. Requires SessionOptions::gated. Fails if part of the model runs on the
  // CPU, which does not know the outcome. Cancels a run in parts, as run() does.
  Status run_if(GLuint flag_buffer, GLintptr offset = 0);

  // run() in parts, to let other GPU work in between. Each call issues about `share`, in (0,1], of the work of the
  // model, but at least one step. Returns the fraction of the run issued so far, exactly 1 when complete. Until then,
  // output textures and buffers contain the results of the previous run. The first part has all steps that read
  // textures, and the last part all steps that write outputs. Textures may change between parts, and take effect in the
  // next run. run(), profile(), write_input() and reset_state() cancel a run in parts.
  Result<double> run_part(double share);

  // The same on a condition, as in run_if(): the first part reads the flag, and the later parts, by either function,
  // follow it.
  Result<double> run_part_if(double share, GLuint flag_buffer, GLintptr offset = 0);

  // run() with each step running and timed separately. Returns nanoseconds per step, in the order of Plan::steps(). The
  // sum exceeds the time of run() if steps could have run in parallel. Waits for the GPU. The first profile of a
  // session may include work that drivers defer to a first run.
  Result<std::vector<int64_t>> profile(StepTimer& timer);

  // Resets the state of a recurrent model (LSTM and similar, variables): the next run is like the first. A small
  // upload; free for a model without state.
  Status reset_state();

  // The texture that run() writes for an output planned as kTexture. Always the same one; owned by the session.
  Result<TextureRef> output_texture(size_t output) const;
  // The range that run() writes for an output planned as kBuffer: one 32-bit float per tensor element, without gaps.
  // Always the same range; owned by the session; do not access the rest of the buffer. Its contents are undefined until
  // the first run completes.
  // Fit for glBindBufferRange(): the offset is a multiple of 256. A run ends with the barrier that lets compute shaders
  // read the range as a storage block, and GL copy it. The next run waits for these readers.
  Result<BufferRange> output_buffer(size_t output) const;
  // Waits for the GPU and reads an output planned as kHost: tightly packed, row-major, in the type of the output.
  Status read_output(size_t output, std::span<std::byte> bytes);

  const Plan& plan() const;

 private:
  friend struct SessionInternals;
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sightglass
