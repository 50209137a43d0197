// DRM device memory shared as a DMABUF: rendered by GL, displayed by KMS, read by encoders.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "sightglass/interop/dmabuf.h"
#include "sightglass/interop/gbm_device.h"
#include "sightglass/interop/unique_fd.h"
#include "sightglass/status.h"

struct gbm_bo;

namespace sightglass::interop {

// Owns the buffer and one file descriptor of it. Any thread may use it, one at a time.
class GbmBuffer {
 public:
  enum Use : uint32_t {
    kRender = 1,   // GL renders into it: import it as kImage, attach the texture to a framebuffer
    kScanOut = 2,  // KMS displays it
    kLinear = 4,   // row by row, for devices without tiling support
  };

  // Allocates with one of `modifiers`, or, if empty, with a layout chosen by the driver; see frame(). The error names
  // the rejected parameters.
  static Result<std::unique_ptr<GbmBuffer>> create(std::shared_ptr<const GbmDevice> device, int32_t width,
                                                   int32_t height, uint32_t fourcc, uint32_t use,
                                                   std::span<const uint64_t> modifiers = {});
  ~GbmBuffer();
  GbmBuffer(const GbmBuffer&) = delete;
  GbmBuffer& operator=(const GbmBuffer&) = delete;

  // Description for importers. Valid as long as this object, which owns the descriptors.
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
