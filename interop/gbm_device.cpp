#include "sightglass/interop/gbm_device.h"

#include <drm.h>
#include <fcntl.h>
#include <gbm.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>
#include <utility>

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

}  // namespace sightglass::interop
