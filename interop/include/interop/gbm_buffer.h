// Memory of a DRM device that is shared as a DMABUF: drawn into by GL, shown by KMS, taken by encoders.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "interop/dmabuf.h"
#include "interop/gbm_device.h"
#include "interop/result.h"
#include "interop/unique_fd.h"

struct gbm_bo;

namespace sightglass::interop {

// Owns the buffer and one file descriptor of it. Movable between threads, used by one at a time.
class GbmBuffer {
 public:
  enum Use : uint32_t {
    kRender = 1,   // GL draws into it: import it as kImage, attach the texture to a framebuffer
    kScanOut = 2,  // KMS shows it
    kLinear = 4,   // in rows, for devices that know no tilings
  };

  // With one of `modifiers`, or, where there are none, in a layout of the driver's choice; frame() tells it. The error
  // names what the device refused.
  static Result<std::unique_ptr<GbmBuffer>> create(std::shared_ptr<const GbmDevice> device, int32_t width,
                                                   int32_t height, uint32_t fourcc, uint32_t use,
                                                   std::span<const uint64_t> modifiers = {});
  ~GbmBuffer();
  GbmBuffer(const GbmBuffer&) = delete;
  GbmBuffer& operator=(const GbmBuffer&) = delete;

  // What others need to know to import it; the descriptors are valid as long as this object, and borrowed.
  const DmabufFrame& frame() const { return frame_; }
  gbm_bo* handle() const { return buffer_; }

 private:
  GbmBuffer() = default;

  std::shared_ptr<const GbmDevice> device_;
  gbm_bo* buffer_ = nullptr;
  UniqueFd fd_;
  DmabufFrame frame_;
};

}  // namespace sightglass::interop
