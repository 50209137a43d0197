// Keeps input frames until the GPU has read them. Their memory is then free for the next frames, however long
// downstream holds the output.
#pragma once

#include <gst/gl/gl.h>

#include <memory>
#include <thread>

#include "sightglass/share_group.h"

namespace sightglass {

// Fences signal when the GPU has read a frame. They are polled with every new frame. Upstream may be waiting for the
// very memory held here, so a separate thread also polls them now and then while frames are held. That thread never
// waits for the GPU, but it may wait for GL threads, which free textures. So GL threads must not wait for it.
class HeldInputs {
 public:
  HeldInputs();
  ~HeldInputs();  // as stop()
  HeldInputs(const HeldInputs&) = delete;
  HeldInputs& operator=(const HeldInputs&) = delete;

  // On the GL thread of `context`, on which frames are read from now on. `group` is the context's.
  void attach(GstGLContext* context, std::shared_ptr<ShareGroup> group);
  // On the same thread. Waits until the GPU has read everything, and releases it.
  void detach();
  // Not on a GL thread; call after detach().
  void stop();

  // Call the functions below between attach() and detach().
  // On the GL thread: keeps `input` until the GPU has finished the commands issued so far. Returns false if it cannot
  // detect that; the input must then live as long as the output.
  bool hold(GstBuffer* input);
  // On the GL thread: checks, without waiting, which frames the GPU has read.
  void poll();
  // On the GL thread: waits until the GPU has read all frames.
  void wait();
  // Any thread except GL threads: releases the frames known to have been read.
  void release_read();
  // The same, and waits for those that the separate thread is releasing: after wait(), no frame is held any more.
  void release_all();

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread and with messages to GL threads
  std::thread thread_;            // started when the first frame is held
};

}  // namespace sightglass
