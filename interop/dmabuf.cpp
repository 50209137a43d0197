#include "sightglass/interop/dmabuf.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "drm_formats.h"

namespace sightglass::interop {
namespace {

// Maximum width and height; keeps every sum below 64 bits.
constexpr int32_t kLargestSide = 65'536;

Status check_plane(const DmabufFrame& frame, const PlaneLayout& layout, int index) {
  const DmabufPlane& plane = frame.planes[static_cast<size_t>(index)];
  const std::string name = "plane " + std::to_string(index) + " of the DMABUF (" + describe(frame) + ")";
  // The only way to query the size of a shared buffer. It moves the file position, which has no readers.
  const off_t end = ::lseek(plane.fd, 0, SEEK_END);
  if (end < 0) {
    return invalid_argument(name + ": file descriptor " + std::to_string(plane.fd) +
                            " is not a buffer: " + std::strerror(errno));
  }
  ::lseek(plane.fd, 0, SEEK_SET);
  const auto size = static_cast<uint64_t>(end);
  const bool tiled = frame.modifier != kModifierLinear && frame.modifier != kModifierInvalid;
  const auto samples = [](int32_t pixels, int step) { return static_cast<uint64_t>((pixels + step - 1) / step); };
  const uint64_t rows = samples(frame.height, layout.down);
  const uint64_t row = samples(frame.width, layout.across) * static_cast<uint64_t>(layout.bytes);
  if (!tiled && plane.stride < row) {
    return invalid_argument(name + " has a stride of " + std::to_string(plane.stride) + " bytes, but a row takes " +
                            std::to_string(row));
  }
  // The last row may end before its stride.
  const uint64_t last = tiled ? plane.offset + uint64_t{1} : plane.offset + (rows - 1) * plane.stride + row;
  if (last > size) {
    return invalid_argument(name + " ends at byte " + std::to_string(last) + " (offset " +
                            std::to_string(plane.offset) + ", " + std::to_string(rows) + " rows, stride " +
                            std::to_string(plane.stride) + "), but the buffer has " + std::to_string(size) + " bytes");
  }
  return {};
}

}  // namespace

std::string fourcc_text(uint32_t fourcc) {
  std::string text;
  for (int shift = 0; shift < 32; shift += 8) {
    const uint32_t character = fourcc >> shift & 0xff;
    if (character < 0x20 || character > 0x7e) {
      char number[16];
      std::snprintf(number, sizeof(number), "0x%08x", fourcc);
      return number;
    }
    text += static_cast<char>(character);
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string modifier_text(uint64_t modifier) {
  if (modifier == kModifierLinear) return "LINEAR";
  if (modifier == kModifierInvalid) return "implicit";
  char number[24];
  std::snprintf(number, sizeof(number), "0x%016llx", static_cast<unsigned long long>(modifier));
  return number;
}

std::string describe(const DmabufFrame& frame) {
  return fourcc_text(frame.fourcc) + ", " + modifier_text(frame.modifier) + ", " + std::to_string(frame.width) + "x" +
         std::to_string(frame.height);
}

Status check(const DmabufFrame& frame) {
  const FormatLayout* layout = find_layout(frame.fourcc);
  if (layout == nullptr) {
    return invalid_argument("cannot use a DMABUF of format " + fourcc_text(frame.fourcc) +
                            ": unknown format; use one of " + known_formats());
  }
  if (frame.width < 1 || frame.height < 1 || frame.width > kLargestSide || frame.height > kLargestSide) {
    return invalid_argument("the DMABUF (" + describe(frame) + ") has an invalid size");
  }
  // Tiled formats may have extra planes for compression data.
  const bool tiled = frame.modifier != kModifierLinear && frame.modifier != kModifierInvalid;
  const bool planes_fit =
      tiled ? frame.plane_count >= layout->planes && frame.plane_count <= 4 : frame.plane_count == layout->planes;
  if (!planes_fit) {
    return invalid_argument("the DMABUF (" + describe(frame) + ") has " + std::to_string(frame.plane_count) +
                            " planes; the format has " + std::to_string(layout->planes));
  }
  for (int i = 0; i < frame.plane_count; ++i) {
    const PlaneLayout further = {1, 1, 1};  // extra plane of a tiling: only its start is checked
    SIGHTGLASS_RETURN_IF_ERROR(check_plane(frame, i < layout->planes ? layout->plane[i] : further, i));
  }
  return {};
}

}  // namespace sightglass::interop
