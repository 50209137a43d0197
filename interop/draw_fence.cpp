#include "sightglass/interop/draw_fence.h"

#include <EGL/eglext.h>
#include <GLES3/gl31.h>
#include <linux/dma-buf.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <utility>

#include "gl_functions.h"
#include "sightglass/interop/unique_fd.h"

namespace sightglass::interop {
namespace {

constexpr GLuint64 kPatience = 5'000'000'000;  // ns; a GPU that needs longer for a frame has hung

}  // namespace

std::unique_ptr<DrawFence> DrawFence::create(std::shared_ptr<const Display> display, bool software) {
  std::unique_ptr<DrawFence> fence(new DrawFence);
  fence->native_ = display->has_extension("EGL_ANDROID_native_fence_sync") && !software;
  fence->display_ = std::move(display);
  return fence;
}

bool DrawFence::attach(const DmabufFrame& frame) const {
  static const auto create = gl_function<PFNEGLCREATESYNCKHRPROC>("eglCreateSyncKHR");
  static const auto destroy = gl_function<PFNEGLDESTROYSYNCKHRPROC>("eglDestroySyncKHR");
  static const auto duplicate = gl_function<PFNEGLDUPNATIVEFENCEFDANDROIDPROC>("eglDupNativeFenceFDANDROID");
  static const auto flush = gl_function<decltype(&glFlush)>("glFlush");
  if (create == nullptr || destroy == nullptr || duplicate == nullptr) return false;
  const EGLSyncKHR sync = create(display_->handle(), EGL_SYNC_NATIVE_FENCE_ANDROID, nullptr);
  if (sync == EGL_NO_SYNC_KHR) return false;
  // The fence has a descriptor only after it was submitted to the GPU.
  flush();
  const UniqueFd file(duplicate(display_->handle(), sync));
  destroy(display_->handle(), sync);
  if (!file.valid()) return false;
  // A descriptor shared by several planes gets the same fence again, which is harmless.
  for (size_t i = 0; i < static_cast<size_t>(frame.plane_count); ++i) {
    dma_buf_import_sync_file request = {};
    request.flags = DMA_BUF_SYNC_WRITE;
    request.fd = file.get();
    int result = 0;
    do {
      result = ::ioctl(frame.planes[i].fd, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &request);
    } while (result < 0 && (errno == EINTR || errno == EAGAIN));
    if (result != 0) return false;
  }
  return true;
}

Result<DrawFence::Wait> DrawFence::publish(const DmabufFrame& frame) const {
  if (native_) {
    if (attach(frame)) return Wait::kOnGpu;
    native_ = false;
  }
  static const auto fence_sync = gl_function<decltype(&glFenceSync)>("glFenceSync");
  static const auto wait_sync = gl_function<decltype(&glClientWaitSync)>("glClientWaitSync");
  static const auto delete_sync = gl_function<decltype(&glDeleteSync)>("glDeleteSync");
  const GLsync fence = fence_sync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  if (fence == nullptr) return device_error("cannot create a fence for the frame: glFenceSync failed");
  const GLenum result = wait_sync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, kPatience);
  delete_sync(fence);
  if (result == GL_ALREADY_SIGNALED || result == GL_CONDITION_SATISFIED) return Wait::kOnCpu;
  return device_error(result == GL_TIMEOUT_EXPIRED ? "the GPU did not finish the frame within five seconds"
                                                   : "cannot wait for the GPU: glClientWaitSync failed");
}

}  // namespace sightglass::interop
