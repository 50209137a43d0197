// Converts images to and from GL textures and PNG files, for tests.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/gl_objects.h"
#include "sightglass/texture_ref.h"

namespace sightglass::test {

struct Rgba {
  int32_t width = 0, height = 0;
  std::vector<uint8_t> pixels;  // tightly packed, four bytes each, top row first

  Rgba() = default;
  Rgba(int32_t w, int32_t h) : width(w), height(h), pixels(static_cast<size_t>(w) * static_cast<size_t>(h) * 4) {}
  uint8_t* at(int32_t x, int32_t y) { return pixels.data() + (static_cast<size_t>(y) * width + x) * 4; }
  const uint8_t* at(int32_t x, int32_t y) const { return pixels.data() + (static_cast<size_t>(y) * width + x) * 4; }
};

// An opaque image. `color` returns the three components at x and y.
template <typename ColorAt>
Rgba painted(int32_t width, int32_t height, ColorAt color) {
  Rgba picture(width, height);
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      const auto components = color(x, y);
      for (size_t c = 0; c < 3; ++c) picture.at(x, y)[c] = static_cast<uint8_t>(components[c]);
      picture.at(x, y)[3] = 255;
    }
  }
  return picture;
}

// Creates an immutable RGBA8 texture with the image.
GlTexture upload(const GlApi& gl, const Rgba& picture);
// Creates a mask as sessions output it: RGBA16F, with the values in R.
GlTexture upload_mask(const GlApi& gl, int32_t width, int32_t height, const std::vector<float>& values);
// Reads back a texture of this size.
Rgba download(const GlApi& gl, GLuint texture, int32_t width, int32_t height);

// Loads through gdk-pixbuf. Returns an empty image if the file cannot be read.
Rgba load_picture(const std::string& path);
bool save_png(const Rgba& picture, const std::string& path);

// Intersection over union of the pixels above one half in R; 1 if neither image has any. Sizes must be equal.
double iou(const Rgba& a, const Rgba& b);

// The directory with real models and images next to the source tree; empty if it does not exist. A link without blanks
// in its path, which would end a property in the text of a pipeline.
std::string shared_directory();
// The file of the bundled model, in the same way.
std::string figure_file();

}  // namespace sightglass::test
