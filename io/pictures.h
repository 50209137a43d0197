// Reads images: pixels, animations, and facts from their headers.
#pragma once

#include <gdk-pixbuf/gdk-pixbuf.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "sightglass/status.h"

namespace sightglass {

// Decodes untrusted image files with gdk-pixbuf. A small file can claim a size that takes gigabytes to decode, so the
// size is checked before any pixel is decoded.
struct UnrefPixbuf {
  void operator()(GdkPixbuf* pixbuf) const { g_object_unref(pixbuf); }
};
using PixbufPtr = std::unique_ptr<GdkPixbuf, UnrefPixbuf>;

// Decodes a PNG, JPEG, GIF or PNM file of at most `largest_side` pixels in width and in height, the limit of a texture
// of the device. Returns the image upright, as its EXIF data state. Errors state the reason without the path.
Result<PixbufPtr> decode_picture(const std::string& path, int32_t largest_side);
// Whether the file starts like an image; decodes nothing.
Status check_picture(const std::string& path);

// What the headers of an image file say beside its size.
struct ImageFacts {
  // As in EXIF, 1 to 8: 1 is upright, 6 is to be shown rotated clockwise by 90 degrees. 1 without EXIF data.
  int orientation = 1;
  int jpeg_components = 0;  // 4: CMYK; 0: not a JPEG file
};
// Reads the content of a JPEG, PNG, or WebP file. Damaged headers and other files give the defaults.
ImageFacts image_facts(std::span<const std::byte> file);

// Finds frames of a GIF that are larger than its image, while it is read: decoders allocate them.
class GifFrames {
 public:
  // Takes the next bytes of the file. Bytes between blocks are skipped, as decoders do.
  void feed(std::span<const std::byte> bytes);
  // Of the frame with the most pixels among those that exceed the image so far; 0: none does.
  int32_t width() const { return width_; }
  int32_t height() const { return height_; }

 private:
  // What the next bytes are.
  enum class Part { kHeader, kSkipped, kIntroducer, kLabel, kDescriptor, kCodeSize, kSubBlockSize, kEnd };
  void take(uint8_t byte);
  void take_header();
  void take_descriptor();
  int32_t number(size_t at) const;  // in the block
  // Skips bytes before the next part.
  void skip(size_t bytes, Part next);

  Part part_ = Part::kHeader, next_ = Part::kEnd;
  size_t skipped_ = 0;               // bytes that are left to skip
  std::array<uint8_t, 13> block_{};  // the header, or the descriptor of a frame
  size_t filled_ = 0;
  int32_t image_width_ = 0, image_height_ = 0, width_ = 0, height_ = 0;
};

}  // namespace sightglass
