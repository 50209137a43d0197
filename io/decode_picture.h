// Decodes untrusted image files with gdk-pixbuf. A small file can claim a size that takes gigabytes to decode, so the
// size is checked before any pixel is decoded.
#pragma once

#include <gdk-pixbuf/gdk-pixbuf.h>

#include <cstdint>
#include <memory>
#include <string>

#include "sightglass/status.h"

namespace sightglass {

struct UnrefPixbuf {
  void operator()(GdkPixbuf* pixbuf) const { g_object_unref(pixbuf); }
};
using PixbufPtr = std::unique_ptr<GdkPixbuf, UnrefPixbuf>;

// Decodes a PNG, JPEG, GIF or PNM file of at most `largest_side` pixels in width and in height, the limit of a texture
// of the device. Returns the image upright, as its EXIF data state. Errors state the reason without the path.
Result<PixbufPtr> decode_picture(const std::string& path, int32_t largest_side);
// Whether the file starts like an image; decodes nothing.
Status check_picture(const std::string& path);

}  // namespace sightglass
