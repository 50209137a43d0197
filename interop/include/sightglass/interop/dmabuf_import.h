// Imports DMABUFs as GL textures without a copy.
#pragma once

#include <EGL/egl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sightglass/interop/dmabuf.h"
#include "sightglass/interop/dmabuf_formats.h"
#include "sightglass/interop/egl_display.h"
#include "sightglass/status.h"

namespace sightglass::interop {

enum class DmabufImport {
  // The whole frame as one image that shaders sample as RGB. The driver converts YUV by the matrix and range of the
  // frame. The Mesa software renderer converts multi-planar formats wrongly, without an error.
  kImage,          // GL_TEXTURE_2D
  kImageExternal,  // GL_TEXTURE_EXTERNAL_OES, the only YUV target of some drivers
  // Each plane as a separate GL_TEXTURE_2D, R8 or GR88, with raw samples: Y, then UV (NV12), VU (NV21), U and V (I420)
  // or V and U (YV12). RGB formats have one plane.
  kPlanes,
};

struct DmabufTexture {
  uint32_t name = 0;              // GL texture name; nearest filtering, clamped to the edge
  uint32_t target = 0;            // GL_TEXTURE_2D or GL_TEXTURE_EXTERNAL_OES
  int32_t width = 0, height = 0;  // texels
  uint32_t fourcc = 0;            // of this texture: GR88 for the second plane of NV12
};

// Textures of one frame and their EGLImages. They show the contents of the buffer when the GPU reads it: the owner of
// the buffer decides when the camera may write again. The frame's file descriptors are no longer needed. Destroy on a
// thread whose current context shares objects with the context of the import; pending GPU work is not disturbed.
class DmabufTextures {
 public:
  DmabufTextures() = default;
  ~DmabufTextures();
  DmabufTextures(DmabufTextures&& other) noexcept;
  DmabufTextures& operator=(DmabufTextures&& other) noexcept;
  DmabufTextures(const DmabufTextures&) = delete;
  DmabufTextures& operator=(const DmabufTextures&) = delete;

  const std::vector<DmabufTexture>& textures() const { return textures_; }

 private:
  friend class DmabufImporter;
  void release();

  std::shared_ptr<const struct DmabufGl> gl_;
  std::vector<DmabufTexture> textures_;
  std::vector<void*> images_;  // EGLImageKHR
};

// Imports frames on one display. Thread-safe. Textures belong to the context that is current when they are created.
class DmabufImporter {
 public:
  // Requires EGL_EXT_image_dma_buf_import. The error names the missing extension or functions.
  static Result<std::shared_ptr<const DmabufImporter>> create(std::shared_ptr<const Display> display);

  const DmabufFormats& formats() const { return formats_; }
  // Whether frames of this kind can be imported; for negotiation. `kPlanes` checks the format of each plane.
  bool importable(uint32_t fourcc, uint64_t modifier, DmabufImport how) const;

  // Requires a current context on this display. Copies nothing and never reads the pixels. Validates the frame before
  // EGL gets it. Preserves the bindings of the context; drops its pending GL errors. The error names the format, its
  // modifier, and the formats or modifiers that this driver can import.
  Result<DmabufTextures> import(const DmabufFrame& frame, DmabufImport how) const;

 private:
  DmabufImporter(std::shared_ptr<const struct DmabufGl> gl, DmabufFormats formats)
      : gl_(std::move(gl)), formats_(std::move(formats)) {}
  Status add(const DmabufFrame& image, const DmabufFrame& whole, bool external, DmabufTextures& textures) const;

  std::shared_ptr<const struct DmabufGl> gl_;
  DmabufFormats formats_;
};

}  // namespace sightglass::interop
