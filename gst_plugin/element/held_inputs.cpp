#include "element/held_inputs.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <new>
#include <utility>

#include "gobject/log.h"

#define GST_CAT_DEFAULT sightglass::base_log()

namespace sightglass {

namespace {

using Clock = std::chrono::steady_clock;

// Pauses between fence polls. The GPU reads most frames within a few milliseconds. If it lags far behind, polls become
// less frequent.
constexpr auto kShortestPause = std::chrono::milliseconds(1);
constexpr auto kLongestPause = std::chrono::milliseconds(32);
constexpr GLuint64 kPatience = 5'000'000'000;  // ns; a GPU that takes longer for a frame is hung

struct Held {
  GstBuffer* buffer;  // owned reference
  GLsync fence;
};

void unref_all(const std::list<Held>& frames) {
  for (const Held& frame : frames) gst_buffer_unref(frame.buffer);
}

}  // namespace

struct HeldInputs::State {
  std::mutex mutex;  // guards all members
  std::condition_variable wake;
  std::condition_variable released;
  GstGLContext* context = nullptr;  // owned reference
  std::shared_ptr<ShareGroup> group;
  // Oldest first. Lists, because frames move from one to the other in code that must not throw.
  std::list<Held> held;
  std::list<Held> read;  // already read by the GPU; fences deleted
  Clock::time_point polled;
  Clock::duration pause = kShortestPause;
  bool asked = false;      // a poll message is pending on the GL thread
  bool releasing = false;  // the thread is releasing frames that are in no list any more
  bool stopping = false;

  // On the GL thread, with the lock held. The GPU finishes frames in the order of issue.
  void take_read(GLuint64 patience) noexcept {
    asked = false;
    polled = Clock::now();
    while (!held.empty()) {
      const GLenum state = group->gl().ClientWaitSync(held.front().fence, GL_SYNC_FLUSH_COMMANDS_BIT, patience);
      // A lost context no longer reads anything.
      const bool done = state == GL_ALREADY_SIGNALED || state == GL_CONDITION_SATISFIED || state == GL_WAIT_FAILED;
      if (!done && patience == 0) return;
      group->gl().DeleteSync(held.front().fence);
      read.splice(read.end(), held, held.begin());
      pause = kShortestPause;
    }
  }

  static void watch(const std::shared_ptr<State>& state);
  static void ask(const std::shared_ptr<State>& state, GstGLContext* context);
};

// Asks the GL thread to poll the fences, without waiting for it. The message holds no reference to the context, because
// the last reference must not be dropped on the context's own thread.
void HeldInputs::State::ask(const std::shared_ptr<State>& state, GstGLContext* context) {
  struct Message {
    std::shared_ptr<State> state;
    const GstGLContext* context;
  };
  auto* message = new (std::nothrow) Message{state, context};
  if (message == nullptr) {
    const std::lock_guard lock(state->mutex);
    state->asked = false;
    state->polled = Clock::now();  // tries again after a pause
    return;
  }
  GstGLWindow* window = gst_gl_context_get_window(context);
  gst_gl_window_send_message_async(
      window,
      [](gpointer data) {
        const auto* message = static_cast<Message*>(data);
        State& state = *message->state;
        const std::lock_guard lock(state.mutex);
        if (state.context != message->context) return;
        state.take_read(0);
        state.wake.notify_one();
      },
      message, [](gpointer data) { delete static_cast<Message*>(data); });
  gst_object_unref(window);
}

void HeldInputs::State::watch(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  while (!state->stopping) {
    if (!state->read.empty()) {
      const std::list<Held> read = std::exchange(state->read, {});
      state->releasing = true;
      lock.unlock();
      unref_all(read);
      lock.lock();
      state->releasing = false;
      state->released.notify_all();
    } else if (state->held.empty() || state->asked) {
      state->wake.wait(lock);
    } else if (const auto due = state->polled + state->pause; Clock::now() < due) {
      state->wake.wait_until(lock, due);
    } else {
      state->asked = true;
      state->pause = std::min<Clock::duration>(2 * state->pause, kLongestPause);
      GstGLContext* context = GST_GL_CONTEXT(gst_object_ref(state->context));
      lock.unlock();
      ask(state, context);
      gst_object_unref(context);
      lock.lock();
    }
  }
}

HeldInputs::HeldInputs() : state_(std::make_shared<State>()) {}

HeldInputs::~HeldInputs() { stop(); }

void HeldInputs::attach(GstGLContext* context, std::shared_ptr<ShareGroup> group) {
  const std::lock_guard lock(state_->mutex);
  state_->context = GST_GL_CONTEXT(gst_object_ref(context));
  state_->group = std::move(group);
}

void HeldInputs::detach() {
  std::list<Held> read;
  GstGLContext* context = nullptr;
  std::shared_ptr<ShareGroup> group;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->context == nullptr) return;
    state_->take_read(kPatience);
    read = std::exchange(state_->read, {});
    context = std::exchange(state_->context, nullptr);
    group = std::move(state_->group);
  }
  unref_all(read);
  gst_object_unref(context);
}

void HeldInputs::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.notify_one();
  thread_.join();
  state_->stopping = false;
  release_read();
}

bool HeldInputs::hold(GstBuffer* input) {
  const std::lock_guard lock(state_->mutex);
  const GLsync fence = state_->group->gl().FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  if (fence == nullptr) return false;
  if (state_->held.empty()) state_->wake.notify_one();
  state_->held.push_back({gst_buffer_ref(input), fence});
  GST_TRACE_OBJECT(log_object(), "holding %" G_GSIZE_FORMAT " input frames until the GPU has read them",
                   state_->held.size());
  state_->polled = Clock::now();
  state_->pause = kShortestPause;
  if (!thread_.joinable()) thread_ = std::thread([state = state_] { State::watch(state); });
  return true;
}

void HeldInputs::poll() {
  const std::lock_guard lock(state_->mutex);
  state_->take_read(0);
}

void HeldInputs::wait() {
  const std::lock_guard lock(state_->mutex);
  state_->take_read(kPatience);
}

void HeldInputs::release_read() {
  std::list<Held> read;
  {
    const std::lock_guard lock(state_->mutex);
    read = std::exchange(state_->read, {});
  }
  unref_all(read);
}

void HeldInputs::release_all() {
  release_read();
  std::unique_lock lock(state_->mutex);
  state_->released.wait(lock, [this] { return !state_->releasing; });
}

}  // namespace sightglass
