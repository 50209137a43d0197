#include "sightglass/interop/gbm_device.h"

#include <drm.h>
#include <fcntl.h>
#include <gbm.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sightglass/interop/gbm_buffer.h"

namespace sightglass::interop {

Result<std::shared_ptr<const GbmDevice>> GbmDevice::open(const std::string& node, bool as_master) {
  UniqueFd fd(::open(node.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd.valid()) return not_found("cannot open " + node + ": " + std::strerror(errno));
  // Fails if this process is not DRM master, which is fine.
  if (!as_master) ::ioctl(fd.get(), DRM_IOCTL_DROP_MASTER, 0);
  std::shared_ptr<GbmDevice> device(new GbmDevice);
  device->handle_ = gbm_create_device(fd.get());
  if (device->handle_ == nullptr) return device_error("gbm_create_device failed on " + node);
  device->fd_ = std::move(fd);
  device->name_ = node;
  return std::shared_ptr<const GbmDevice>(std::move(device));
}

Result<std::shared_ptr<const GbmDevice>> GbmDevice::open(const std::string& node) { return open(node, false); }

std::shared_ptr<const GbmDevice> GbmDevice::borrow(gbm_device* handle, std::string name) {
  std::shared_ptr<GbmDevice> device(new GbmDevice);
  device->handle_ = handle;
  device->name_ = std::move(name);
  return device;
}

GbmDevice::~GbmDevice() {
  if (fd_.valid() && handle_ != nullptr) gbm_device_destroy(handle_);
}

Result<std::unique_ptr<GbmBuffer>> GbmBuffer::create(std::shared_ptr<const GbmDevice> device, int32_t width,
                                                     int32_t height, uint32_t fourcc, uint32_t use,
                                                     std::span<const uint64_t> modifiers) {
  std::string what = "cannot create a buffer of " + fourcc_text(fourcc) + ", " + std::to_string(width) + "x" +
                     std::to_string(height) + " on " + device->name();
  for (const uint64_t modifier : modifiers) what += ", " + modifier_text(modifier);
  if (width < 1 || height < 1) return invalid_argument(what + ": invalid size");
  uint32_t flags = 0;
  if ((use & kRender) != 0) flags |= GBM_BO_USE_RENDERING;
  if ((use & kScanOut) != 0) flags |= GBM_BO_USE_SCANOUT;
  if ((use & kLinear) != 0) flags |= GBM_BO_USE_LINEAR;
  std::unique_ptr<GbmBuffer> buffer(new GbmBuffer);
  const auto w = static_cast<uint32_t>(width), h = static_cast<uint32_t>(height);
  buffer->buffer_ = modifiers.empty() ? gbm_bo_create(device->handle(), w, h, fourcc, flags)
                                      : gbm_bo_create_with_modifiers2(device->handle(), w, h, fourcc, modifiers.data(),
                                                                      static_cast<unsigned>(modifiers.size()), flags);
  if (buffer->buffer_ == nullptr) return device_error(what + ": the device rejected it: " + std::strerror(errno));
  buffer->device_ = std::move(device);
  buffer->fd_.reset(gbm_bo_get_fd(buffer->buffer_));
  if (!buffer->fd_.valid()) return device_error(what + ": the device cannot export it: " + std::strerror(errno));
  DmabufFrame& frame = buffer->frame_;
  frame.width = width;
  frame.height = height;
  frame.fourcc = fourcc;
  frame.modifier = gbm_bo_get_modifier(buffer->buffer_);
  // Drivers without modifier support do not report it.
  if ((use & kLinear) != 0 && frame.modifier == kModifierInvalid) frame.modifier = kModifierLinear;
  frame.plane_count = gbm_bo_get_plane_count(buffer->buffer_);
  for (int i = 0; i < frame.plane_count && i < 4; ++i) {
    DmabufPlane& plane = frame.planes[static_cast<size_t>(i)];
    // All planes of a GBM buffer with one descriptor are in one memory object.
    plane.fd = buffer->fd_.get();
    plane.offset = gbm_bo_get_offset(buffer->buffer_, i);
    plane.stride = gbm_bo_get_stride_for_plane(buffer->buffer_, i);
  }
  SIGHTGLASS_RETURN_IF_ERROR(check(frame));
  return buffer;
}

GbmBuffer::~GbmBuffer() {
  if (buffer_ != nullptr) gbm_bo_destroy(buffer_);
}

}  // namespace sightglass::interop
