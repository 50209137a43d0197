// What a driver imports, for negotiation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interop/egl_display.h"

namespace sightglass::interop {

struct DmabufModifier {
  uint64_t value;
  bool external_only;  // can only be sampled as GL_TEXTURE_EXTERNAL_OES
};

struct DmabufFormat {
  uint32_t fourcc;
  std::vector<DmabufModifier> modifiers;  // empty: the driver takes the format without being told one
};

// Immutable; a copy is as good as the original.
class DmabufFormats {
 public:
  // Asks the driver. The list is empty, and `known()` false, where the display lacks
  // EGL_EXT_image_dma_buf_import_modifiers; then one has to try.
  static DmabufFormats query(const Display& display);
  explicit DmabufFormats(std::vector<DmabufFormat> formats, bool known = true)
      : formats_(std::move(formats)), known_(known) {}

  bool known() const { return known_; }
  const std::vector<DmabufFormat>& formats() const { return formats_; }
  const DmabufFormat* find(uint32_t fourcc) const;  // null: not imported
  // Linear and implicit layouts of a format without modifiers, or of an unknown list, count as importable.
  bool importable(uint32_t fourcc, uint64_t modifier) const;
  bool external_only(uint32_t fourcc, uint64_t modifier) const;
  // For messages, "the driver imports NV12 as LINEAR" or "the driver imports XR24 AR24 … but no NV12".
  std::string what_would_work(uint32_t fourcc) const;

 private:
  std::vector<DmabufFormat> formats_;
  bool known_;
};

}  // namespace sightglass::interop
