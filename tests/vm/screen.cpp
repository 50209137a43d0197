#include "screen.h"

#include <drm_fourcc.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

namespace sightglass::test {
namespace {

template <auto Free>
struct Freer {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
template <typename T, auto Free>
using Drm = std::unique_ptr<T, Freer<Free>>;

// The descriptor through which this process drives the display; negative if it does not.
int master() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    const int fd = std::atoi(entry.path().filename().c_str());
    if (!gone && target.starts_with("/dev/dri/card") && drmIsMaster(fd) != 0) return fd;
  }
  return -1;
}

uint32_t property(int fd, uint32_t connector, std::string_view name) {
  const Drm<drmModeObjectProperties, drmModeFreeObjectProperties> all(
      drmModeObjectGetProperties(fd, connector, DRM_MODE_OBJECT_CONNECTOR));
  for (uint32_t i = 0; all != nullptr && i < all->count_props; ++i) {
    const Drm<drmModePropertyRes, drmModeFreeProperty> one(drmModeGetProperty(fd, all->props[i]));
    if (one != nullptr && one->name == name) return one->prop_id;
  }
  return 0;
}

// A buffer that the display can write and we can read.
struct Target {
  Target(int device, uint32_t w, uint32_t h) : fd(device) {
    dumb.width = w;
    dumb.height = h;
    dumb.bpp = 32;
    if (drmIoctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, &dumb) != 0) return;
    const uint32_t handles[4] = {dumb.handle}, pitches[4] = {dumb.pitch}, offsets[4] = {};
    if (drmModeAddFB2(fd, w, h, DRM_FORMAT_XRGB8888, handles, pitches, offsets, &framebuffer, 0) != 0) return;
    drm_mode_map_dumb map = {};
    map.handle = dumb.handle;
    if (drmIoctl(fd, DRM_IOCTL_MODE_MAP_DUMB, &map) != 0) return;
    void* mapped = mmap(nullptr, dumb.size, PROT_READ, MAP_SHARED, fd, static_cast<off_t>(map.offset));
    if (mapped != MAP_FAILED) pixels = static_cast<const uint8_t*>(mapped);
  }
  ~Target() {
    if (pixels != nullptr) munmap(const_cast<uint8_t*>(pixels), dumb.size);
    if (framebuffer != 0) drmModeRmFB(fd, framebuffer);
    if (dumb.handle != 0) drmModeDestroyDumbBuffer(fd, dumb.handle);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  const int fd;
  drm_mode_create_dumb dumb = {};
  uint32_t framebuffer = 0;
  const uint8_t* pixels = nullptr;
};

struct Display {
  uint32_t crtc = 0, writeback = 0, width = 0, height = 0;
};

Display find_display(int fd) {
  Display display;
  const Drm<drmModeRes, drmModeFreeResources> resources(drmModeGetResources(fd));
  for (int i = 0; resources != nullptr && i < resources->count_crtcs; ++i) {
    const Drm<drmModeCrtc, drmModeFreeCrtc> crtc(drmModeGetCrtc(fd, resources->crtcs[i]));
    if (crtc == nullptr || crtc->mode_valid == 0) continue;
    display.crtc = crtc->crtc_id;
    display.width = crtc->mode.hdisplay;
    display.height = crtc->mode.vdisplay;
  }
  for (int i = 0; resources != nullptr && i < resources->count_connectors; ++i) {
    const Drm<drmModeConnector, drmModeFreeConnector> connector(
        drmModeGetConnectorCurrent(fd, resources->connectors[i]));
    if (connector != nullptr && connector->connector_type == DRM_MODE_CONNECTOR_WRITEBACK) {
      display.writeback = connector->connector_id;
    }
  }
  return display;
}

// Attaches the writeback connector with a target, or detaches it (framebuffer 0).
int commit(int fd, const Display& display, uint32_t framebuffer, int* fence) {
  const Drm<drmModeAtomicReq, drmModeAtomicFree> request(drmModeAtomicAlloc());
  const auto set = [&](const char* name, uint64_t value) {
    drmModeAtomicAddProperty(request.get(), display.writeback, property(fd, display.writeback, name), value);
  };
  set("CRTC_ID", framebuffer != 0 ? display.crtc : 0);
  set("WRITEBACK_FB_ID", framebuffer);
  if (fence != nullptr) set("WRITEBACK_OUT_FENCE_PTR", reinterpret_cast<uintptr_t>(fence));
  return drmModeAtomicCommit(fd, request.get(), DRM_MODE_ATOMIC_ALLOW_MODESET, nullptr);
}

}  // namespace

std::optional<Rgba> write_back_screen(std::string& why) {
  const int fd = master();
  if (fd < 0) {
    why = "this process drives no display";
    return std::nullopt;
  }
  if (drmSetClientCap(fd, DRM_CLIENT_CAP_ATOMIC, 1) != 0 ||
      drmSetClientCap(fd, DRM_CLIENT_CAP_WRITEBACK_CONNECTORS, 1) != 0) {
    why = "the display has no writeback connectors";
    return std::nullopt;
  }
  const Display display = find_display(fd);
  if (display.crtc == 0 || display.writeback == 0) {
    why = display.crtc == 0 ? "the display is off" : "the display has no writeback connector";
    return std::nullopt;
  }
  const Target target(fd, display.width, display.height);
  if (target.pixels == nullptr) {
    why = std::string("no buffer to write back to: ") + std::strerror(errno);
    return std::nullopt;
  }
  int fence = -1;
  if (commit(fd, display, target.framebuffer, &fence) != 0) {
    why = std::string("the display refuses to write back: ") + std::strerror(errno);
    return std::nullopt;
  }
  pollfd wait = {fence, POLLIN, 0};
  const bool written = poll(&wait, 1, 60'000) > 0;
  close(fence);
  commit(fd, display, 0, nullptr);
  if (!written) {
    why = "the display wrote nothing back within a minute";
    return std::nullopt;
  }
  Rgba picture(static_cast<int32_t>(display.width), static_cast<int32_t>(display.height));
  for (int32_t y = 0; y < picture.height; ++y) {
    for (int32_t x = 0; x < picture.width; ++x) {
      const uint8_t* from = target.pixels + static_cast<size_t>(y) * target.dumb.pitch + static_cast<size_t>(x) * 4;
      uint8_t* to = picture.at(x, y);
      to[0] = from[2];
      to[1] = from[1];
      to[2] = from[0];
      to[3] = 255;
    }
  }
  return picture;
}

void expected_pixel(const Rgba& frame, int32_t screen_width, int32_t screen_height, int32_t x, int32_t y,
                    uint8_t rgb[3]) {
  const float scale = std::min(static_cast<float>(screen_width) / static_cast<float>(frame.width),
                               static_cast<float>(screen_height) / static_cast<float>(frame.height));
  const auto place = [scale](int32_t at, int32_t screen, int32_t size) {
    const float border = (static_cast<float>(screen) - static_cast<float>(size) * scale) / 2;
    return (static_cast<float>(at) + 0.5F - border) / scale;
  };
  const float u = place(x, screen_width, frame.width), v = place(y, screen_height, frame.height);
  if (u < 0 || v < 0 || u >= static_cast<float>(frame.width) || v >= static_cast<float>(frame.height)) {
    rgb[0] = rgb[1] = rgb[2] = 0;
    return;
  }
  const auto clamp = [](float at, int32_t size) { return std::clamp(static_cast<int32_t>(at), 0, size - 1); };
  const float left = std::floor(u - 0.5F), top = std::floor(v - 0.5F);
  const float right_share = u - 0.5F - left, bottom_share = v - 0.5F - top;
  const int32_t x0 = clamp(left, frame.width), x1 = clamp(left + 1, frame.width);
  const int32_t y0 = clamp(top, frame.height), y1 = clamp(top + 1, frame.height);
  for (int c = 0; c < 3; ++c) {
    const float upper =
        std::lerp(static_cast<float>(frame.at(x0, y0)[c]), static_cast<float>(frame.at(x1, y0)[c]), right_share);
    const float lower =
        std::lerp(static_cast<float>(frame.at(x0, y1)[c]), static_cast<float>(frame.at(x1, y1)[c]), right_share);
    rgb[c] = static_cast<uint8_t>(std::lround(std::lerp(upper, lower, bottom_share)));
  }
}

}  // namespace sightglass::test
