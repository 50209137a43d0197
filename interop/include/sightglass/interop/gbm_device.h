// DRM devices that allocate memory through GBM.
#pragma once

#include <memory>
#include <string>

#include "sightglass/interop/unique_fd.h"
#include "sightglass/status.h"

struct gbm_device;

namespace sightglass::interop {

// Thread-safe. Opening never takes the display away from another process: if this process is the first to open a card
// and so becomes DRM master, it drops the role at once.
class GbmDevice {
 public:
  // "/dev/dri/renderD128" or "/dev/dri/card0". The error names the node.
  static Result<std::shared_ptr<const GbmDevice>> open(const std::string& node);
  // Borrows a device that its owner keeps while this object lives. `name` is for messages.
  static std::shared_ptr<const GbmDevice> borrow(gbm_device* handle, std::string name);
  ~GbmDevice();
  GbmDevice(const GbmDevice&) = delete;
  GbmDevice& operator=(const GbmDevice&) = delete;

  gbm_device* handle() const { return handle_; }
  const std::string& name() const { return name_; }

 private:
  friend struct DisplayOpener;
  GbmDevice() = default;
  static Result<std::shared_ptr<const GbmDevice>> open(const std::string& node, bool as_master);

  UniqueFd fd_;  // if this object opened the device
  gbm_device* handle_ = nullptr;
  std::string name_;
};

}  // namespace sightglass::interop
