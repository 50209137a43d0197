// Who reads a DMABUF has to wait for what GL draws into it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "interop/dmabuf.h"
#include "interop/egl_display.h"
#include "interop/result.h"

namespace sightglass::interop {

// Other devices know nothing of GL's order. Where it can be, the GPU's fence goes with the buffer (implicit
// synchronisation: EGL_ANDROID_native_fence_sync, and DMA_BUF_IOCTL_IMPORT_SYNC_FILE of Linux 6.0), and nobody waits
// here; everywhere else, and with software renderers, the CPU waits until it has been drawn.
class DrawFence {
 public:
  enum class Wait { kOnGpu, kOnCpu };

  // In a context that is current on this display. `software`: its renderer runs on the CPU, and its native fences, if
  // there are any, are not to be relied on.
  static std::unique_ptr<DrawFence> create(std::shared_ptr<const Display> display, bool software);

  // In a context of the display that has been given, or waits for, all that draws into the frame. When it returns, its
  // readers see what was drawn.
  Result<Wait> publish(const DmabufFrame& frame) const;

 private:
  DrawFence() = default;
  bool attach(const DmabufFrame& frame) const;

  std::shared_ptr<const Display> display_;
  mutable std::atomic<bool> native_ = false;  // false for good once the kernel refused
};

}  // namespace sightglass::interop
