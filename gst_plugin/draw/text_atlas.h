// Lines of text in one texture, each rasterized once per process and size.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "draw/primitive.h"
#include "sightglass/gl_objects.h"

namespace sightglass {

// One line in the texture, as shaders/draw/labels.glsl reads it. The width of an invisible line is 0.
struct TextPlace {
  int32_t texel = 0;  // top left texel, x | y << 16
  int32_t width = 0;  // frame pixels
};
static_assert(sizeof(TextPlace) == 8);

// Destruction needs the context current.
class TextAtlas {
 public:
  // Maximum rows and columns of the texture, if the device does not limit it further: at most 64 MiB.
  static constexpr int32_t kMostSize = 8192;
  // Lines that do not fit are rasterized smaller, but not smaller than this, and scaled when drawn.
  static constexpr int32_t kLeastHeight = 12;

  // The texels, shared by all atlases of the same lines and sizes while one of these exists: by elements with the same
  // labels, and by an atlas that replaces another.
  struct SharedPage;

  // An atlas without text.
  TextAtlas() = default;
  // For lines of `height` frame pixels, at least 1; lines wider than `most_width` get an ellipsis. Lines for which the
  // texture has no space get the width 0, and a logged warning names the first of them. Uploads once. The context must
  // be current; leaves the 2D binding of the active unit at 0.
  TextAtlas(const GlApi& gl, std::span<const std::string> lines, int32_t height, int32_t most_width);

  // R8 texture of the coverage; 0 if there is no text.
  GLuint texture() const { return texture_.id(); }
  // Indexed by line.
  const std::vector<TextPlace>& places() const { return places_; }
  int32_t height() const { return height_; }
  // Texels per frame pixel.
  float scale() const { return scale_; }
  const SharedPage* page() const { return page_.get(); }
  // The primitive of that line with its top left corner at (x,y), which are whole numbers.
  Primitive primitive(size_t line, float x, float y, const std::array<float, 4>& color) const;

 private:
  static std::shared_ptr<const SharedPage> share_page(std::span<const std::string> lines, int32_t height,
                                                      int32_t most_width, int32_t most_size);

  std::shared_ptr<const SharedPage> page_;
  GlTexture texture_;
  std::vector<TextPlace> places_;
  int32_t height_ = 0;
  float scale_ = 1;
};

}  // namespace sightglass
