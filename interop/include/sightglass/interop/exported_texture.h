// Exports GL textures as DMABUFs, for devices that GBM cannot allocate from.
#pragma once

#include <array>
#include <memory>

#include "sightglass/interop/dmabuf.h"
#include "sightglass/interop/dmabuf_import.h"
#include "sightglass/interop/egl_display.h"
#include "sightglass/interop/unique_fd.h"

namespace sightglass::interop {

// An RGBA8 texture whose memory other devices can import. The driver chooses format, layout and modifier, see frame();
// other devices may not support them. Destroy it like DmabufTextures.
class ExportedTexture {
 public:
  // Requires a current context on this display, and EGL_MESA_image_dma_buf_export. The error names what is missing.
  static Result<std::unique_ptr<ExportedTexture>> create(std::shared_ptr<const Display> display, int32_t width,
                                                         int32_t height);
  ~ExportedTexture();
  ExportedTexture(const ExportedTexture&) = delete;
  ExportedTexture& operator=(const ExportedTexture&) = delete;

  // Valid as long as this object, which owns the descriptors.
  const DmabufFrame& frame() const { return frame_; }
  const DmabufTexture& texture() const { return texture_; }

 private:
  ExportedTexture() = default;

  std::shared_ptr<const Display> display_;
  DmabufTexture texture_;
  void* image_ = nullptr;  // EGLImageKHR
  std::array<UniqueFd, 4> fds_;
  DmabufFrame frame_;
};

}  // namespace sightglass::interop
