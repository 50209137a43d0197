// Picture files from anywhere, through gdk-pixbuf. A small file can claim a size that takes gigabytes to decode, so the
// size is asked for before any pixel is.
#pragma once

#include <gdk-pixbuf/gdk-pixbuf.h>

#include <cstdint>
#include <memory>
#include <string>

#include "gpu_engine/status.h"

namespace sightglass {

struct UnrefPixbuf {
  void operator()(GdkPixbuf* pixbuf) const { g_object_unref(pixbuf); }
};
using PixbufPtr = std::unique_ptr<GdkPixbuf, UnrefPixbuf>;

// PNG, JPEG, GIF or PNM, of at most `largest_side` pixels in width and in
// height: what a texture of the device can have. The pixels as they are stored; the orientation is an option of the
// pixbuf. Errors say the reason without the path.
Result<PixbufPtr> decode_picture(const std::string& path, int32_t largest_side);
// Whether the file is a picture, by its beginning; decodes nothing.
Status check_picture(const std::string& path);

}  // namespace sightglass
