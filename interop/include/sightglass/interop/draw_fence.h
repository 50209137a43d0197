// Makes readers of a DMABUF wait for GL rendering into it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "sightglass/interop/dmabuf.h"
#include "sightglass/interop/egl_display.h"
#include "sightglass/status.h"

namespace sightglass::interop {

// Other devices are not synchronized with GL. If possible, the GPU fence is attached to the buffer (implicit
// synchronization: EGL_ANDROID_native_fence_sync, and DMA_BUF_IOCTL_IMPORT_SYNC_FILE of Linux 6.0) and nothing waits
// here. Otherwise, and with software renderers, the CPU waits until rendering has finished.
class DrawFence {
 public:
  enum class Wait { kOnGpu, kOnCpu };

  // Requires a current context on this display. `software`: the renderer runs on the CPU; its native fences, if any,
  // are not used because they are unreliable.
  static std::unique_ptr<DrawFence> create(std::shared_ptr<const Display> display, bool software);

  // Requires a current context of the display in which all rendering into the frame has been issued or waited for.
  // After it returns, readers of the frame get the rendered contents.
  Result<Wait> publish(const DmabufFrame& frame) const;

 private:
  DrawFence() = default;
  bool attach(const DmabufFrame& frame) const;

  std::shared_ptr<const Display> display_;
  mutable std::atomic<bool> native_ = false;  // false permanently once the kernel rejected a fence
};

}  // namespace sightglass::interop
