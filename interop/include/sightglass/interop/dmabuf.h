// Frames in DMABUFs: memory that devices share by file descriptor.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "sightglass/status.h"

namespace sightglass::interop {

// DRM format modifiers: memory layouts of pixels. All other values are vendor tilings.
inline constexpr uint64_t kModifierLinear = 0;
inline constexpr uint64_t kModifierInvalid = 0x00ff'ffff'ffff'ffff;  // implicit: the driver chooses

struct DmabufPlane {
  int fd = -1;          // borrowed; planes may share one buffer, with the same descriptor or different ones
  uint32_t offset = 0;  // bytes from the start of the buffer to the first row
  uint32_t stride = 0;  // bytes from row to row
};

// Meaning of YUV samples.
enum class YuvMatrix { kBt601, kBt709, kBt2020 };

// A frame as described by its producer: offsets and strides are those of the buffer, never computed from the size.
struct DmabufFrame {
  int32_t width = 0, height = 0;  // pixels
  uint32_t fourcc = 0;            // DRM_FORMAT_…
  uint64_t modifier = kModifierInvalid;
  int plane_count = 0;
  std::array<DmabufPlane, 4> planes;
  YuvMatrix yuv_matrix = YuvMatrix::kBt601;  // only if the driver converts (DmabufImport::kImage…), like the next field
  bool yuv_full_range = false;
};

std::string fourcc_text(uint32_t fourcc);      // "NV12"; "0x00000001" if not printable
std::string modifier_text(uint64_t modifier);  // "LINEAR", "implicit" or "0x0100000000000001"
// "NV12, LINEAR, 640x480"
std::string describe(const DmabufFrame& frame);

// Validates a frame before the driver gets it. Returns an error for an unknown format, a wrong number of planes, an
// invalid size, a descriptor that is not a buffer, a stride shorter than a row, or a plane outside of its buffer. For
// tiled planes only the start is checked: only the driver knows their size.
Status check(const DmabufFrame& frame);

}  // namespace sightglass::interop
