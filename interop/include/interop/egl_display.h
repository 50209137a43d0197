// EGL displays for programs that have no window.
#pragma once

#include <EGL/egl.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "interop/gbm_device.h"
#include "interop/result.h"

namespace sightglass::interop {

// An initialised EGLDisplay. EGL hands out one display per native display and process, so the same one may be in use by
// other code: it is terminated only where the native display behind it is ours (GBM). Thread-safe.
class Display {
 public:
  // A display that its owner has initialised and keeps initialised while this object lives. `name` is for messages.
  static std::shared_ptr<Display> borrow(EGLDisplay display, std::string name);
  // The one of the context that is current on this thread.
  static Result<std::shared_ptr<Display>> current();
  // On a DRM device, "/dev/dri/renderD128" or "/dev/dri/card0". A card's first user becomes its master.
  static Result<std::shared_ptr<Display>> open_gbm(const std::string& node);
  ~Display();
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  EGLDisplay handle() const { return handle_; }
  const std::string& name() const { return name_; }  // "surfaceless platform"
  bool has_extension(const char* extension) const;
  // The DRM device on which the display draws: the one that it was opened on, or else the one that the driver names
  // (EGL_EXT_device_query). Software renderers have none.
  Result<std::shared_ptr<const GbmDevice>> device() const;

 private:
  friend struct DisplayOpener;
  Display() = default;

  EGLDisplay handle_ = EGL_NO_DISPLAY;
  std::string name_, extensions_;
  std::shared_ptr<const GbmDevice> gbm_;  // that the display lies on, if it was opened here
};

// One way to come by a display.
struct DisplayCandidate {
  std::string name;
  std::function<Result<std::shared_ptr<Display>>()> open;
};

// Every way to a display without a window system on this machine, best first: EGL devices that are hardware, Mesa's
// surfaceless platform, EGL devices that are software, GBM on each render node, the default display. Hardware devices
// come first because the surfaceless platform may find Mesa's software renderer beside another vendor's GPU.
std::vector<DisplayCandidate> headless_display_candidates();

// "EGL_BAD_MATCH" for 0x3009.
std::string egl_error_name(EGLint error);

// Whether a space-separated list, as EGL and OpenGL give them, holds `extension`.
bool extension_listed(const char* list, const char* extension);

}  // namespace sightglass::interop
