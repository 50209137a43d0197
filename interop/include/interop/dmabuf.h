// Frames in DMABUFs: memory that devices share, known by file descriptors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "interop/result.h"

namespace sightglass::interop {

// DRM's format modifiers: how pixels lie in memory. The other values are the makers' tilings.
inline constexpr uint64_t kModifierLinear = 0;
inline constexpr uint64_t kModifierInvalid = 0x00ff'ffff'ffff'ffff;  // not told: what the driver assumes

struct DmabufPlane {
  int fd = -1;  // borrowed; several planes may lie in one buffer, and have the same descriptor or different ones
  uint32_t offset = 0;  // bytes from the start of the buffer to the first row
  uint32_t stride = 0;  // bytes from row to row
};

// What the numbers of YUV formats mean.
enum class YuvMatrix { kBt601, kBt709, kBt2020 };

// A frame as the one who made it describes it: offsets and strides are the buffer's own, never computed from the size.
struct DmabufFrame {
  int32_t width = 0, height = 0;  // pixels
  uint32_t fourcc = 0;            // DRM_FORMAT_…
  uint64_t modifier = kModifierInvalid;
  int plane_count = 0;
  std::array<DmabufPlane, 4> planes;
  YuvMatrix yuv_matrix = YuvMatrix::kBt601;  // these two only where the driver converts: DmabufImport::kImage…
  bool yuv_full_range = false;
};

std::string fourcc_text(uint32_t fourcc);      // "NV12"; what cannot be printed comes as "0x00000001"
std::string modifier_text(uint64_t modifier);  // "LINEAR", "implicit" or "0x0100000000000001"
// "NV12, LINEAR, 640x480"
std::string describe(const DmabufFrame& frame);

// What is wrong with a frame, before any driver sees it: an unknown format, a number of planes that it does not have, a
// size that is none, a descriptor that is no buffer, a stride shorter than a row, a plane that does not lie within its
// buffer. Nothing when all is well. Tiled planes are held to their start only: their size is the driver's knowledge.
std::optional<Error> check(const DmabufFrame& frame);

}  // namespace sightglass::interop
