// Frames in DMABUFs that GL draws.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "interop/dmabuf.h"
#include "interop/dmabuf_import.h"
#include "interop/exported_texture.h"
#include "interop/gbm_buffer.h"

namespace sightglass::interop {

// What is asked for: an RGB format of 8 bits, or NV12.
struct DrawRequest {
  int32_t width = 0, height = 0;
  uint32_t fourcc = 0;
  std::vector<uint64_t> modifiers{kModifierLinear};  // any of these
};

// A DMABUF and the textures through which it is drawn into: one for RGB formats, R8 and GR88 for NV12, to be attached
// to framebuffers. Destroyed like DmabufTextures.
class DrawTarget {
 public:
  // The descriptors are valid as long as this object, and borrowed. All planes lie in one piece of memory.
  const DmabufFrame& frame() const { return frame_; }
  const std::vector<DmabufTexture>& textures() const { return textures_; }

 private:
  friend class DrawTargets;
  DrawTarget() = default;

  std::unique_ptr<GbmBuffer> buffer_;
  std::unique_ptr<ExportedTexture> exported_;
  DmabufTextures imported_;
  DmabufFrame frame_;
  std::vector<DmabufTexture> textures_;
};

// Makes them for one display. Thread-safe.
class DrawTargets {
 public:
  // Memory is that of `device`, if there is one; otherwise, where the driver exports its own textures, that of GL.
  static Result<std::shared_ptr<const DrawTargets>> create(std::shared_ptr<const Display> display,
                                                           Result<std::shared_ptr<const GbmDevice>> device);

  // In a context that is current on the display. The error names device, format and modifiers.
  Result<std::unique_ptr<DrawTarget>> make(const DrawRequest& request) const;
  // The same around a buffer that somebody else owns, and keeps for as long as the target lives.
  Result<std::unique_ptr<DrawTarget>> adopt(const DmabufFrame& frame) const;
  // Whether it is of any use to ask for this format; for negotiation.
  bool possible(uint32_t fourcc, uint64_t modifier) const;

 private:
  DrawTargets() = default;
  Result<std::unique_ptr<DrawTarget>> make_rgb(const DrawRequest& request) const;
  Result<std::unique_ptr<DrawTarget>> make_nv12(const DrawRequest& request) const;
  Result<std::unique_ptr<DrawTarget>> export_texture(const DrawRequest& request) const;
  Result<std::unique_ptr<DrawTarget>> import(const DmabufFrame& frame, std::unique_ptr<GbmBuffer> buffer) const;
  static Result<std::unique_ptr<DrawTarget>> checked(Result<std::unique_ptr<DrawTarget>> target);

  std::shared_ptr<const Display> display_;
  std::shared_ptr<const GbmDevice> device_;  // null: textures are exported
  std::string no_device_;                    // the reason
  std::shared_ptr<const DmabufImporter> importer_;
};

}  // namespace sightglass::interop
