// DMABUF frames as GL render targets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sightglass/interop/dmabuf.h"
#include "sightglass/interop/dmabuf_import.h"
#include "sightglass/interop/exported_texture.h"
#include "sightglass/interop/gbm_buffer.h"

namespace sightglass::interop {

// A requested frame: an RGB format of 8 bits, or NV12.
struct DrawRequest {
  int32_t width = 0, height = 0;
  uint32_t fourcc = 0;
  std::vector<uint64_t> modifiers{kModifierLinear};  // any of these is acceptable
};

// A DMABUF and the textures to render into it: one for RGB formats, R8 and GR88 for NV12. Attach them to framebuffers.
// Destroy it like DmabufTextures.
class DrawTarget {
 public:
  // Valid as long as this object, which owns the descriptors. All planes are in one memory object.
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

// Creates draw targets for one display. Thread-safe.
class DrawTargets {
 public:
  // Allocates from `device` if there is one. Otherwise exports GL textures, if the driver supports it.
  static Result<std::shared_ptr<const DrawTargets>> create(std::shared_ptr<const Display> display,
                                                           Result<std::shared_ptr<const GbmDevice>> device);

  // Requires a current context on the display. The error names the device, format and modifiers.
  Result<std::unique_ptr<DrawTarget>> make(const DrawRequest& request) const;
  // The same for an existing buffer, whose owner keeps it while the target lives.
  Result<std::unique_ptr<DrawTarget>> adopt(const DmabufFrame& frame) const;
  // Whether a request for this format can succeed; for negotiation.
  bool possible(uint32_t fourcc, uint64_t modifier) const;

 private:
  DrawTargets() = default;
  Result<std::unique_ptr<DrawTarget>> make_rgb(const DrawRequest& request) const;
  Result<std::unique_ptr<DrawTarget>> make_nv12(const DrawRequest& request) const;
  Result<std::unique_ptr<DrawTarget>> export_texture(const DrawRequest& request) const;
  Result<std::unique_ptr<DrawTarget>> import(const DmabufFrame& frame, std::unique_ptr<GbmBuffer> buffer) const;
  static Result<std::unique_ptr<DrawTarget>> checked(Result<std::unique_ptr<DrawTarget>> target);

  std::shared_ptr<const Display> display_;
  std::shared_ptr<const GbmDevice> device_;  // null: GL textures are exported
  std::string no_device_;                    // the reason
  std::shared_ptr<const DmabufImporter> importer_;
};

}  // namespace sightglass::interop
