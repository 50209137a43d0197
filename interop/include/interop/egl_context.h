// OpenGL contexts without a window.
#pragma once

#include <EGL/egl.h>

#include <memory>
#include <string>
#include <vector>

#include "interop/egl_display.h"
#include "interop/result.h"

namespace sightglass::interop {

enum class GlFlavour {
  kEs31,           // OpenGL ES 3.1 or later
  kDesktopCore45,  // desktop OpenGL 4.5 core profile, which accepts ES 3.1 shaders
};

const char* to_string(GlFlavour flavour);  // "OpenGL ES 3.1"

class Context {
 public:
  // On the first candidate that works. The error lists every candidate with the reason why it does not.
  static Result<std::unique_ptr<Context>> create_headless(
      GlFlavour flavour = GlFlavour::kEs31,
      const std::vector<DisplayCandidate>& candidates = headless_display_candidates());
  // On a given display; shares textures, buffers and programs with `share` when that is not null.
  static Result<std::unique_ptr<Context>> create(std::shared_ptr<Display> display, GlFlavour flavour,
                                                 const Context* share = nullptr);
  // Must not be current on another thread; is released first if current on this one.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  EGLContext handle() const { return handle_; }
  EGLSurface surface() const { return surface_; }  // 1×1, or EGL_NO_SURFACE where none is needed
  const Display& display() const { return *display_; }
  GlFlavour flavour() const { return flavour_; }
  // A second context, for another thread, that sees the same objects.
  Result<std::unique_ptr<Context>> create_sharing() const { return create(display_, flavour_, this); }

  // Entry points of OpenGL, for whichever context is current.
  static void* get_proc_address(const char* name);

 private:
  Context() = default;

  std::shared_ptr<Display> display_;
  GlFlavour flavour_ = GlFlavour::kEs31;
  EGLContext handle_ = EGL_NO_CONTEXT;
  EGLSurface surface_ = EGL_NO_SURFACE;
};

// Makes a context current on this thread and, when it goes, whatever was current before.
class ScopedMakeCurrent {
 public:
  explicit ScopedMakeCurrent(const Context& context);
  ~ScopedMakeCurrent();
  ScopedMakeCurrent(const ScopedMakeCurrent&) = delete;
  ScopedMakeCurrent& operator=(const ScopedMakeCurrent&) = delete;

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }

 private:
  EGLDisplay display_;  // of the context that is made current here
  EGLDisplay previous_display_;
  EGLContext previous_context_;
  EGLSurface previous_draw_, previous_read_;
  std::string error_;
};

}  // namespace sightglass::interop
