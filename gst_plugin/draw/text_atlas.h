// Lines of text in one texture, each rasterized once in the process for each size.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "draw/primitive.h"
#include "gpu_engine/gl_objects.h"

namespace sightglass {

// One line in the texture, as shaders/draw/labels.glsl reads it. Nothing to see: the width is 0.
struct TextPlace {
  int32_t texel = 0;  // the top left one, x | y << 16
  int32_t width = 0;  // pixels of the picture
};
static_assert(sizeof(TextPlace) == 8);

// Destruction needs the context current.
class TextAtlas {
 public:
  // The texture has no more rows or columns than this, or than the device allows: at most 64 MiB.
  static constexpr int32_t kMostSize = 8192;
  // Lines that do not fit are rasterized smaller, but not smaller than this, and scaled when they are drawn.
  static constexpr int32_t kLeastHeight = 12;

  // The texels, which all atlases of the same lines and sizes share. They stay in memory as long as one of these lives:
  // for more elements with the same labels, and for the atlas that replaces one.
  struct SharedPage;

  // Without text.
  TextAtlas() = default;
  // For lines of `height` pixels of the picture, at least 1; wider ones than `most_width` get an ellipsis. Logs a
  // warning that names the lines for which there is no room; these have the width 0. Uploads once. The context must be
  // current; leaves the 2D binding of the active unit at 0.
  TextAtlas(const GlApi& gl, std::span<const std::string> lines, int32_t height, int32_t most_width);

  // R8, the coverage; 0 if there is no text.
  GLuint texture() const { return texture_.id(); }
  // By line.
  const std::vector<TextPlace>& places() const { return places_; }
  int32_t height() const { return height_; }
  // Texels per pixel of the picture.
  float scale() const { return scale_; }
  const SharedPage* page() const { return page_.get(); }
  // That line with its top left corner at (x,y), which are whole numbers.
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
