// DMABUFs as GL textures, without a copy.
#pragma once

#include <EGL/egl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "interop/dmabuf.h"
#include "interop/dmabuf_formats.h"
#include "interop/egl_display.h"
#include "interop/result.h"

namespace sightglass::interop {

enum class DmabufImport {
  // The whole frame as one image, from which shaders get RGB; the driver converts YUV, as the frame's matrix and range
  // say. Mesa's software renderer does so wrongly for formats of several planes, without an error.
  kImage,          // GL_TEXTURE_2D
  kImageExternal,  // GL_TEXTURE_EXTERNAL_OES, which is all that some drivers give for YUV
  // Every plane as a GL_TEXTURE_2D of its own, R8 or GR88, whose numbers shaders see as they are: Y, then UV (NV12), VU
  // (NV21), U and V (I420) or V and U (YV12). RGB formats have one plane.
  kPlanes,
};

struct DmabufTexture {
  uint32_t name = 0;              // of GL; filter is nearest, wrapping clamps to the edge
  uint32_t target = 0;            // GL_TEXTURE_2D or GL_TEXTURE_EXTERNAL_OES
  int32_t width = 0, height = 0;  // texels
  uint32_t fourcc = 0;            // of this texture: GR88 for NV12's second plane
};

// Textures of one frame, with the EGLImages behind them. They show what is in the buffer at the time when the GPU
// reads: when the camera may write again is for the owner of the buffer to arrange. Does not need the frame's file
// descriptors any more. Destroyed on a thread whose current context shares objects with that of the import; work that
// the GPU has not done yet is not disturbed.
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

// Imports frames on one display. Thread-safe; textures belong to the context that is current when they are made.
class DmabufImporter {
 public:
  // Needs EGL_EXT_image_dma_buf_import; the error names what the display lacks.
  static Result<std::shared_ptr<const DmabufImporter>> create(std::shared_ptr<const Display> display);

  const DmabufFormats& formats() const { return formats_; }
  // Whether a frame of this kind can be imported, without one; for negotiation. `kPlanes` asks for each plane's format.
  bool importable(uint32_t fourcc, uint64_t modifier, DmabufImport how) const;

  // In a context that is current on this display. Nothing is copied; the pixels are never looked at. The frame is
  // checked before EGL sees it. Bindings of the context stay as they are; GL errors that it had before are dropped. The
  // error names the format, its modifier, and what this driver imports instead.
  Result<DmabufTextures> import(const DmabufFrame& frame, DmabufImport how) const;

 private:
  DmabufImporter(std::shared_ptr<const struct DmabufGl> gl, DmabufFormats formats)
      : gl_(std::move(gl)), formats_(std::move(formats)) {}
  std::optional<Error> add(const DmabufFrame& image, const DmabufFrame& whole, bool external,
                           DmabufTextures& textures) const;

  std::shared_ptr<const struct DmabufGl> gl_;
  DmabufFormats formats_;
};

}  // namespace sightglass::interop
