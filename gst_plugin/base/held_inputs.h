// Frames that the GPU still reads, kept until it has done so: their memory is free for the next ones then, however long
// downstream holds what was made of them.
#pragma once

#include <gst/gl/gl.h>

#include <memory>
#include <thread>

#include "gpu_engine/share_group.h"

namespace sightglass {

// Fences say when the GPU has read a frame. They are looked at whenever the next frame comes, and, since upstream may
// be waiting for the very memory that is held here, also now and then by a thread of its own as long as anything is
// held. That thread never waits for the GPU, but may for GL threads, which free textures: so nothing else waits for it
// there.
class HeldInputs {
 public:
  HeldInputs();
  ~HeldInputs();  // as stop()
  HeldInputs(const HeldInputs&) = delete;
  HeldInputs& operator=(const HeldInputs&) = delete;

  // On the GL thread of `context`, on which frames are read from now on. `group` is the context's.
  void attach(GstGLContext* context, std::shared_ptr<ShareGroup> group);
  // On the same. Waits until the GPU has read everything, and lets go of it.
  void detach();
  // Not on a GL thread; after detach().
  void stop();

  // The others between attach() and detach(). On the GL thread: keeps `input` until the GPU has done what it was given
  // so far. False where it cannot say when that will be: the input is to live as long as the output then.
  bool hold(GstBuffer* input);
  // On the GL thread: asks, without waiting, which frames have been read by now.
  void poll();
  // On the GL thread: waits until all have been.
  void wait();
  // Any thread but GL threads: lets go of frames that are known to have been read.
  void release_read();

 private:
  struct State;
  std::shared_ptr<State> state_;  // also the thread's, and that of messages to GL threads
  std::thread thread_;            // since something was held for the first time
};

}  // namespace sightglass
