#include "sightglass/interop/egl_display.h"

#include <EGL/eglext.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "gl_functions.h"

namespace sightglass::interop {
namespace {

bool client_extension(const char* extension) {
  return extension_listed(eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS), extension);
}

Status last_error(const std::string& call) { return device_error(call + " failed: " + egl_error_name(eglGetError())); }

}  // namespace

bool extension_listed(const char* list, const char* extension) {
  if (list == nullptr) return false;
  const size_t length = std::strlen(extension);
  for (const char* at = list; (at = std::strstr(at, extension)) != nullptr; at += length) {
    const bool starts = at == list || at[-1] == ' ';
    if (starts && (at[length] == ' ' || at[length] == '\0')) return true;
  }
  return false;
}

std::string egl_error_name(EGLint error) {
  static constexpr const char* kNames[] = {"EGL_SUCCESS",       "EGL_NOT_INITIALIZED",     "EGL_BAD_ACCESS",
                                           "EGL_BAD_ALLOC",     "EGL_BAD_ATTRIBUTE",       "EGL_BAD_CONFIG",
                                           "EGL_BAD_CONTEXT",   "EGL_BAD_CURRENT_SURFACE", "EGL_BAD_DISPLAY",
                                           "EGL_BAD_MATCH",     "EGL_BAD_NATIVE_PIXMAP",   "EGL_BAD_NATIVE_WINDOW",
                                           "EGL_BAD_PARAMETER", "EGL_BAD_SURFACE",         "EGL_CONTEXT_LOST"};
  if (error >= EGL_SUCCESS && error <= EGL_CONTEXT_LOST) return kNames[error - EGL_SUCCESS];
  char text[16];
  std::snprintf(text, sizeof(text), "0x%x", static_cast<unsigned>(error));
  return text;
}

std::shared_ptr<Display> Display::borrow(EGLDisplay handle, std::string name) {
  std::shared_ptr<Display> display(new Display);
  display->handle_ = handle;
  display->name_ = std::move(name);
  if (const char* extensions = eglQueryString(handle, EGL_EXTENSIONS)) display->extensions_ = extensions;
  return display;
}

Display::~Display() {
  if (gbm_ != nullptr) eglTerminate(handle_);
}

bool Display::has_extension(const char* extension) const { return extension_listed(extensions_.c_str(), extension); }

struct DisplayOpener {
  static Result<std::shared_ptr<Display>> initialize(EGLDisplay handle, const std::string& name) {
    if (handle == EGL_NO_DISPLAY) return last_error("eglGetPlatformDisplay");
    if (eglInitialize(handle, nullptr, nullptr) != EGL_TRUE) return last_error("eglInitialize");
    return Display::borrow(handle, name);
  }

  static Result<std::shared_ptr<Display>> platform(EGLenum platform, void* native, const char* extension,
                                                   const std::string& name) {
    if (!client_extension(extension)) return unsupported("EGL has no " + std::string(extension));
    const auto get = gl_function<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
    if (get == nullptr) return unsupported("EGL has no eglGetPlatformDisplayEXT");
    return initialize(get(platform, native, nullptr), name);
  }

  static Result<std::shared_ptr<Display>> gbm(const std::string& node, const std::string& name) {
    auto device = GbmDevice::open(node, true);
    if (!device.ok()) return device.status();
    auto display = platform(EGL_PLATFORM_GBM_KHR, (*device)->handle(), "EGL_KHR_platform_gbm", name);
    if (display.ok()) (*display)->gbm_ = *device;
    return display;
  }
};

Result<std::shared_ptr<Display>> Display::open_gbm(const std::string& node) {
  return DisplayOpener::gbm(node, "GBM on " + node);
}

namespace {

struct Device {
  EGLDeviceEXT handle;
  bool software;
  std::string name;
};

std::vector<Device> egl_devices() {
  const auto query = gl_function<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
  const auto describe = gl_function<PFNEGLQUERYDEVICESTRINGEXTPROC>("eglQueryDeviceStringEXT");
  if (!client_extension("EGL_EXT_device_enumeration") || query == nullptr || describe == nullptr) return {};
  std::array<EGLDeviceEXT, 32> handles;
  EGLint count = 0;
  if (query(static_cast<EGLint>(handles.size()), handles.data(), &count) != EGL_TRUE) return {};
  std::vector<Device> devices;
  for (int i = 0; i < count; ++i) {
    const EGLDeviceEXT handle = handles[static_cast<size_t>(i)];
    const char* extensions = describe(handle, EGL_EXTENSIONS);
    const bool software = extension_listed(extensions, "EGL_MESA_device_software");
    const char* file =
        extension_listed(extensions, "EGL_EXT_device_drm") ? describe(handle, EGL_DRM_DEVICE_FILE_EXT) : nullptr;
    std::string name = "EGL device " + std::to_string(i);
    if (software) name += " (software)";
    if (file != nullptr) name += std::string(" (") + file + ")";
    devices.push_back({handle, software, std::move(name)});
  }
  return devices;
}

}  // namespace

Result<std::shared_ptr<Display>> Display::current() {
  const EGLDisplay handle = eglGetCurrentDisplay();
  if (handle == EGL_NO_DISPLAY) return invalid_argument("the GL context was not created with EGL");
  return borrow(handle, "the display of the GL context");
}

Result<std::shared_ptr<const GbmDevice>> Display::device() const {
  if (gbm_ != nullptr) return gbm_;
  const auto query = gl_function<PFNEGLQUERYDISPLAYATTRIBEXTPROC>("eglQueryDisplayAttribEXT");
  const auto describe = gl_function<PFNEGLQUERYDEVICESTRINGEXTPROC>("eglQueryDeviceStringEXT");
  const bool asks = client_extension("EGL_EXT_device_query") || client_extension("EGL_EXT_device_base");
  if (!asks || query == nullptr || describe == nullptr) {
    return unsupported("EGL does not report the device of " + name_ + " (EGL_EXT_device_query)");
  }
  EGLAttrib device = 0;
  if (query(handle_, EGL_DEVICE_EXT, &device) != EGL_TRUE) return last_error("eglQueryDisplayAttribEXT");
  // NOLINTNEXTLINE(performance-no-int-to-ptr): EGL returns handles as integers
  auto* const handle = reinterpret_cast<EGLDeviceEXT>(device);
  const char* extensions = describe(handle, EGL_EXTENSIONS);
  const char* node = nullptr;
  if (extension_listed(extensions, "EGL_EXT_device_drm_render_node")) {
    node = describe(handle, EGL_DRM_RENDER_NODE_FILE_EXT);
  }
  if (node == nullptr && extension_listed(extensions, "EGL_EXT_device_drm")) {
    node = describe(handle, EGL_DRM_DEVICE_FILE_EXT);
  }
  if (node == nullptr) {
    const bool software = extension_listed(extensions, "EGL_MESA_device_software");
    return unsupported(name_ +
                       (software ? " belongs to a software renderer without a DRM device" : " has no DRM device"));
  }
  return GbmDevice::open(node);
}

std::vector<DisplayCandidate> headless_display_candidates() {
  std::vector<DisplayCandidate> candidates;
  const auto add = [&](const std::string& name, auto open) { candidates.push_back({name, open}); };
  const std::vector<Device> devices = egl_devices();
  const auto add_devices = [&](bool software) {
    for (const Device& device : devices) {
      if (device.software != software) continue;
      add(device.name, [device] {
        return DisplayOpener::platform(EGL_PLATFORM_DEVICE_EXT, device.handle, "EGL_EXT_platform_device", device.name);
      });
    }
  };

  add_devices(false);
  add("surfaceless platform", [] {
    return DisplayOpener::platform(EGL_PLATFORM_SURFACELESS_MESA, nullptr, "EGL_MESA_platform_surfaceless",
                                   "surfaceless platform");
  });
  add_devices(true);
  for (int minor = 128; minor < 192; ++minor) {
    const std::string node = "/dev/dri/renderD" + std::to_string(minor);
    if (::access(node.c_str(), F_OK) != 0) continue;
    add("GBM on " + node, [node] { return Display::open_gbm(node); });
  }
  add("default display",
      [] { return DisplayOpener::initialize(eglGetDisplay(EGL_DEFAULT_DISPLAY), "default display"); });
  return candidates;
}

}  // namespace sightglass::interop
