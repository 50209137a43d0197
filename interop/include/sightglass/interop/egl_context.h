// OpenGL contexts without a window.
#pragma once

#include <EGL/egl.h>

#include <memory>
#include <string>
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

}  // namespace sightglass::interop
