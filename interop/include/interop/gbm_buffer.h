// Memory of a DRM device that is shared as a DMABUF: drawn into by GL, shown by KMS, taken by encoders.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "interop/dmabuf.h"
#include "interop/egl_display.h"
#include "interop/result.h"
#include "interop/unique_fd.h"

struct gbm_bo;
struct gbm_device;

namespace sightglass::interop {

// Owns the buffer and one file descriptor of it. Movable between threads, used by one at a time.
class GbmBuffer {
 public:
  enum Use : uint32_t {
    kRender = 1,   // GL draws into it: import it as kImage, attach the texture to a framebuffer
    kScanOut = 2,  // KMS shows it
    kLinear = 4,   // in rows, for devices that know no tilings
  };

  // On the device of a display that lies on GBM (Display::open_gbm). Layout and modifier are the driver's choice;
  // frame() tells them. The error names what the device refused.
  static Result<std::unique_ptr<GbmBuffer>> create(std::shared_ptr<const Display> display, int32_t width,
                                                   int32_t height, uint32_t fourcc, uint32_t use);
  ~GbmBuffer();
  GbmBuffer(const GbmBuffer&) = delete;
  GbmBuffer& operator=(const GbmBuffer&) = delete;

  // What others need to know to import it; the descriptors are valid as long as this object, and borrowed.
  const DmabufFrame& frame() const { return frame_; }
  gbm_bo* handle() const { return buffer_; }

 private:
  GbmBuffer() = default;

  std::shared_ptr<const Display> display_;  // keeps the device
  gbm_bo* buffer_ = nullptr;
  UniqueFd fd_;
  DmabufFrame frame_;
};

}  // namespace sightglass::interop
