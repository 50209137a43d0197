// EGL displays for programs without a window.
#pragma once

#include <EGL/egl.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sightglass/interop/gbm_device.h"
#include "sightglass/status.h"

namespace sightglass::interop {

// An initialized EGLDisplay. EGL returns one display per native display and process, so other code may use the same
// one: it is terminated only if this object owns the native display (GBM). Thread-safe.
class Display {
 public:
  // Borrows a display that its owner keeps initialized while this object lives. `name` is for messages.
  static std::shared_ptr<Display> borrow(EGLDisplay display, std::string name);
  // The display of the context that is current on this thread.
  static Result<std::shared_ptr<Display>> current();
  // Opens a DRM device, "/dev/dri/renderD128" or "/dev/dri/card0". The first process that opens a card becomes its DRM
  // master.
  static Result<std::shared_ptr<Display>> open_gbm(const std::string& node);
  ~Display();
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  EGLDisplay handle() const { return handle_; }
  const std::string& name() const { return name_; }  // "surfaceless platform"
  bool has_extension(const char* extension) const;
  // The DRM device of the display: the one that open_gbm() opened, otherwise the one that the driver reports
  // (EGL_EXT_device_query). Software renderers have none.
  Result<std::shared_ptr<const GbmDevice>> device() const;

 private:
  friend struct DisplayOpener;
  Display() = default;

  EGLDisplay handle_ = EGL_NO_DISPLAY;
  std::string name_, extensions_;
  std::shared_ptr<const GbmDevice> gbm_;  // native display, if open_gbm() opened it
};

// One way to open a display.
struct DisplayCandidate {
  std::string name;
  std::function<Result<std::shared_ptr<Display>>()> open;
};

// All ways to open a display without a window system on this machine, best first: hardware EGL devices, the Mesa
// surfaceless platform, software EGL devices, GBM on each render node, the default display. Hardware devices come first
// because the surfaceless platform may select the Mesa software renderer although another vendor's GPU is present.
std::vector<DisplayCandidate> headless_display_candidates();

// "EGL_BAD_MATCH" for 0x3009.
std::string egl_error_name(EGLint error);

// Whether `list`, a space-separated extension string of EGL or OpenGL, contains `extension`.
bool extension_listed(const char* list, const char* extension);

}  // namespace sightglass::interop
