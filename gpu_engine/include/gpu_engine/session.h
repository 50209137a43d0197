// A plan on one GL context. All calls need that context (or one that shares its objects) current on the calling thread;
// a session is used by one thread at a time.
//
// What a recurrent model keeps from run to run lives in the session: it begins as the model says, mostly as zeros, and
// each run() moves it on by one step (PlanOptions::keep_state). Sessions of one plan have states of their own.
//
// GL state after every call: no program, vertex array or framebuffer is bound, the active texture unit is 0, and every
// buffer binding, texture unit and sampler that was used is unbound. Nothing else is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu_engine/frame_ref.h"
#include "gpu_engine/gl_api.h"
#include "gpu_engine/input_transform.h"
#include "gpu_engine/log.h"
#include "gpu_engine/plan.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/step_timer.h"
#include "gpu_engine/texture_ref.h"

namespace sightglass {

struct SessionOptions {
  // Dispatches every program once, for one work group, and waits for the GPU: drivers that finish compiling at the
  // first dispatch do so in create() and not in the first frame. Nothing of it can be seen later.
  bool warm_up = true;
  // run_if() may be called: takes a program and 24 bytes for each step.
  bool gated = false;
  // For a session without a group. Others report to the log of their group.
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
  // Compiles every program, allocates and uploads everything: run() does none of that. Programs and weights that
  // another session of the group has already are shared with it.
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<ShareGroup> group, std::shared_ptr<const Plan> plan,
                                                 const SessionOptions& options = {});
  // The same, sharing nothing. `gl` is copied.
  static Result<std::unique_ptr<Session>> create(const GlApi& gl, std::shared_ptr<const Plan> plan,
                                                 const SessionOptions& options = {});
  // Deletes its GL objects, shared ones when it is the last that holds them: a context of the group must be current.
  // After a lost context call abandon() first.
  ~Session();
  // Forgets all GL objects without deleting them, for a context that is gone. Sessions that share with it are
  // untouched.
  void abandon();

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Which frame, of the kind that was planned, and where in it, run() reads for an input planned as kTexture. No GL
  // call; another transform or coding of colours than the one before costs the next run() an upload of 144 bytes.
  Status set_input_frame(size_t input, const FrameRef& frame, const InputTransform& transform = {});
  // The same with the place in the frame from a GL buffer: a FrameBlock (frame_ref.h) lies at `offset`, a multiple of
  // the device's uniform_offset_alignment; 256 always is. Compute shaders may have written it, and may write it anew
  // for every run: a run waits, on the GPU, for what was written before its first part. The buffer must live until the
  // last part; what the block does not say is which textures are sampled.
  Status set_input_frame(size_t input, const FrameRef& frame, GLuint place_buffer, GLintptr offset = 0);
  // The same for a frame that is one texture.
  Status set_input_texture(size_t input, const TextureRef& texture, const InputTransform& transform = {}) {
    return set_input_frame(input, texture, transform);
  }
  // Uploads an input planned as kHost: dense, row-major, of the input's type.
  Status write_input(size_t input, std::span<const std::byte> bytes);

  // Issues the dispatches and returns without waiting. No allocation, compilation, upload (but for a texture's new
  // transform), readback or wait, unless the plan runs part of the model on the CPU (PlanOptions::fallback).
  Status run();

  // run(), but the GPU decides whether it takes place: where the uint at `offset` of the buffer is 0, no step has any
  // work group, and outputs and what a recurrent model keeps stay as they are. The CPU does not get to know. Compute
  // shaders may have written the flag: it is asked once, before the first step, when the GPU is done with them.
  // `offset` is a multiple of the device's storage_offset_alignment; 256 always is. For sessions with
  // SessionOptions::gated; refused where part of the model runs on the CPU, which could not know. It gives up a
  // run in parts like run().
  Status run_if(GLuint flag_buffer, GLintptr offset = 0);

  // run() in parts, so that other work of the GPU's gets its turn: each call issues about `share`, in (0,1], of the
  // model's work, but at least one step. Gives how much of the run has been issued by now: exactly 1 when it is
  // complete; until then textures and buffers of outputs hold what the run before made. The first part has all steps
  // that read textures, and the last one all that write outputs: textures may change between parts, and take effect
  // with the next run. run(), profile(), write_input() and reset_state() give up a run in parts.
  Result<double> run_part(double share);

  // The same for a run about which a shader decides, as in run_if(): the flag is asked with the run's first part, and
  // the parts behind it, by either function, follow the answer.
  Result<double> run_part_if(double share, GLuint flag_buffer, GLintptr offset = 0);

  // run(), with every step running and being timed on its own: nanoseconds by step, in the order of Plan::steps(). The
  // sum is more than what run() takes wherever steps could have run at the same time. Waits for the GPU. The first time
  // of a session may hold what drivers leave to a first run.
  Result<std::vector<int64_t>> profile(StepTimer& timer);

  // Forgets what a recurrent model (LSTM and its kin, variables) has kept from the runs so far: the next run is as the
  // first one. A small upload; costs nothing for a model without state.
  Status reset_state();

  // The texture that run() writes for an output planned as kTexture. The same one every time; owned by the session.
  Result<TextureRef> output_texture(size_t output) const;
  // What run() writes for an output planned as kBuffer: as many 32-bit floats as the tensor has elements, without gaps.
  // The same range every time; owned by the session; the rest of the buffer is none of the caller's business. What it
  // holds before the first run is complete is not defined.
  // Fit for glBindBufferRange(): the offset is a multiple of 256. A run ends with the barrier that lets compute shaders
  // read it as a storage block, and GL copy it; its next run waits for those who do.
  Result<BufferRange> output_buffer(size_t output) const;
  // Waits for the GPU and reads an output planned as kHost: dense, row-major, of the output's type.
  Status read_output(size_t output, std::span<std::byte> bytes);

  // For tests: fails naming the tensor whose guard band was overwritten (PlanOptions::sentinel_bytes).
  Status check_sentinels();

  const Plan& plan() const;

 private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sightglass
