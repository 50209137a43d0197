// Lines of text: rendered once per process and size, side by side in one texture.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "draw/primitive.h"
#include "sightglass/gl_objects.h"

namespace sightglass {

// Renders lines of text to coverage images. The only code that uses Pango.

// Returns a warning for applications that set `property`, which draws text; nothing if a font is installed.
std::optional<std::string> missing_font_warning(const std::string& property);

struct TextPicture {
  int32_t width = 0, height = 0;  // pixels
  std::vector<uint8_t> coverage;  // tightly packed rows, top row first; 255 = covered
};

// One thread at a time.
class Typesetter {
 public:
  // Font size as a share of the line height. Leaves room for accents and for scripts that are taller than Latin.
  static constexpr double kEmShare = 0.7;

  // For lines of `line_height` pixels, at least 1. Uses the default sans-serif font, and other installed fonts for the
  // scripts it lacks. If no font is installed, all text is empty, and the first typesetter of the process logs a
  // warning.
  explicit Typesetter(int32_t line_height);

  bool has_font() const { return layout_ != nullptr; }

  // Renders one line of that height, with an ellipsis if it is wider than `most_width` pixels. Accepts any `utf8`:
  // printable() replaces invalid bytes, and only the first 256 bytes are used.
  TextPicture set(std::string_view utf8, int32_t most_width) const;

 private:
  struct Unref {
    void operator()(void* object) const;
  };
  int32_t line_height_;
  int32_t baseline_ = 0;                   // pixels below the top of the line
  std::unique_ptr<void, Unref> font_map_;  // first: the layout refers to it
  std::unique_ptr<void, Unref> layout_;    // null if no font is installed
};

// Lines of text in one texture, each rasterized once per process and size.
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
