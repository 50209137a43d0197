// GL's own textures as DMABUFs, for devices that give no memory through GBM.
#pragma once

#include <array>
#include <memory>

#include "interop/dmabuf.h"
#include "interop/dmabuf_import.h"
#include "interop/egl_display.h"
#include "interop/unique_fd.h"

namespace sightglass::interop {

// A texture of RGBA8 whose memory others can import. Format, layout and modifier are the driver's choice, and no device
// but this one may understand them: frame() tells. Destroyed like DmabufTextures.
class ExportedTexture {
 public:
  // In a context that is current on this display. Needs EGL_MESA_image_dma_buf_export; the error says what is lacking.
  static Result<std::unique_ptr<ExportedTexture>> create(std::shared_ptr<const Display> display, int32_t width,
                                                         int32_t height);
  ~ExportedTexture();
  ExportedTexture(const ExportedTexture&) = delete;
  ExportedTexture& operator=(const ExportedTexture&) = delete;

  // The descriptors are valid as long as this object, and borrowed.
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
