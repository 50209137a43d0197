// OpenGL contexts without a window.
#pragma once

#include <EGL/egl.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sightglass/interop/egl_display.h"
#include "sightglass/status.h"

namespace sightglass::interop {

enum class GlFlavour {
  kEs31,           // OpenGL ES 3.1 or later
  kDesktopCore45,  // desktop OpenGL 4.5 core profile, which accepts ES 3.1 shaders
};

const char* to_string(GlFlavour flavour);  // "OpenGL ES 3.1"

class Context {
 public:
  // Uses the first candidate that works. The error lists every candidate and why it failed.
  static Result<std::unique_ptr<Context>> create_headless(
      GlFlavour flavour = GlFlavour::kEs31,
      const std::vector<DisplayCandidate>& candidates = headless_display_candidates());
  // Creates a context on a given display. If `share` is not null, shares textures, buffers and programs with it.
  static Result<std::unique_ptr<Context>> create(std::shared_ptr<Display> display, GlFlavour flavour,
                                                 const Context* share = nullptr);
  // Creates a context that shares with the one that is current on this thread, whoever made that, for another thread.
  static Result<std::unique_ptr<Context>> create_sharing_with_current();
  // Must not be current on another thread. If it is current on this one, it is released first.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  EGLContext handle() const { return handle_; }
  EGLSurface surface() const { return surface_; }  // 1×1, or EGL_NO_SURFACE if not needed
  const Display& display() const { return *display_; }
  GlFlavour flavour() const { return flavour_; }
  // Creates a second context that shares objects with this one, for another thread.
  Result<std::unique_ptr<Context>> create_sharing() const { return create(display_, flavour_, this); }

  // OpenGL entry points, valid for any current context.
  static void* get_proc_address(const char* name);

 private:
  Context() = default;
  static Result<std::unique_ptr<Context>> create_sharing_with(std::shared_ptr<Display> display, GlFlavour flavour,
                                                              EGLContext share);

  std::shared_ptr<Display> display_;
  GlFlavour flavour_ = GlFlavour::kEs31;
  EGLContext handle_ = EGL_NO_CONTEXT;
  EGLSurface surface_ = EGL_NO_SURFACE;
};

// Makes a context current on this thread. Its destructor restores the previous context.
class ScopedMakeCurrent {
 public:
  explicit ScopedMakeCurrent(const Context& context);
  ~ScopedMakeCurrent();
  ScopedMakeCurrent(const ScopedMakeCurrent&) = delete;
  ScopedMakeCurrent& operator=(const ScopedMakeCurrent&) = delete;

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }

 private:
  EGLDisplay display_;  // of the new context
  EGLDisplay previous_display_;
  EGLContext previous_context_;
  EGLSurface previous_draw_, previous_read_;
  Status status_;
};

// Threads with contexts of their own, for work that drivers do on the calling thread, such as compiling.
class ContextThreads {
 public:
  // Each of `count` threads has a context that shares textures, buffers, and programs with the one that is current on
  // the calling thread. That context may be of any origin, as long as it is EGL's.
  static Result<std::unique_ptr<ContextThreads>> create(size_t count);
  ~ContextThreads();
  ContextThreads(const ContextThreads&) = delete;
  ContextThreads& operator=(const ContextThreads&) = delete;

  // run() of as many threads as help to compile for the current context, which live as long as the function: with the
  // calling one, one per core and at most four, or as many as the variable SIGHTGLASS_COMPILER_THREADS says. Empty if
  // that is one, or the context is not EGL's.
  static std::function<void(const std::function<void()>&)> for_compiling();

  // Calls `work` on the calling thread and on all others at the same time; returns when every call has. `work` leaves
  // no GL object that is bound. Exceptions on the calling thread pass through after that, those on others end there.
  void run(const std::function<void()>& work);

 private:
  ContextThreads() = default;
  void serve(const Context& context);

  std::vector<std::unique_ptr<Context>> contexts_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;  // guarded, as what follows
  size_t round_ = 0, busy_ = 0;
  bool ends_ = false;
};

}  // namespace sightglass::interop
