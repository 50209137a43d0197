// What the headers of an image file say beside its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sightglass {

struct ImageFacts {
  // As in EXIF, 1 to 8: 1 is upright, 6 is to be shown rotated clockwise by 90 degrees. 1 without EXIF data.
  int orientation = 1;
  int jpeg_components = 0;  // 4: CMYK; 0: not a JPEG file
};
// Reads the content of a JPEG, PNG, or WebP file. Damaged headers and other files give the defaults.
ImageFacts image_facts(std::span<const std::byte> file);

}  // namespace sightglass
