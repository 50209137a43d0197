// Importable formats of a driver, for negotiation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/interop/egl_display.h"

namespace sightglass::interop {

struct DmabufModifier {
  uint64_t value;
  bool external_only;  // can only be sampled as GL_TEXTURE_EXTERNAL_OES
};

struct DmabufFormat {
  uint32_t fourcc;
  std::vector<DmabufModifier> modifiers;  // empty: the driver imports the format only without an explicit modifier
};

// Immutable; copies are interchangeable.
class DmabufFormats {
 public:
  // Queries the driver. If the display lacks EGL_EXT_image_dma_buf_import_modifiers, the list is empty and `known()` is
  // false: then only an attempt shows whether an import works.
  static DmabufFormats query(const Display& display);
  explicit DmabufFormats(std::vector<DmabufFormat> formats, bool known = true)
      : formats_(std::move(formats)), known_(known) {}

  bool known() const { return known_; }
  const std::vector<DmabufFormat>& formats() const { return formats_; }
  const DmabufFormat* find(uint32_t fourcc) const;  // null: not imported
  // For a format without modifiers, and for an unknown list, linear and implicit layouts count as importable.
  bool importable(uint32_t fourcc, uint64_t modifier) const;
  bool external_only(uint32_t fourcc, uint64_t modifier) const;
  // For messages: "the driver imports NV12 as LINEAR" or "the driver imports XR24 AR24 … but no NV12".
  std::string what_would_work(uint32_t fourcc) const;

 private:
  std::vector<DmabufFormat> formats_;
  bool known_;
};

}  // namespace sightglass::interop
